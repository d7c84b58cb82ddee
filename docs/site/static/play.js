// Makes what can be opened in the playground live where it is read. Without JavaScript the link and the picture remain.
for (const link of document.querySelectorAll("a.play")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "play";
  button.textContent = "Try it here";
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    const address = new URL(link.href);
    address.search = "?embed=figure";
    frame.src = address.href;
    frame.title = "dupack playground";
    frame.className = "play";
    button.replaceWith(frame);
  });
  link.after(" ", button);
}
