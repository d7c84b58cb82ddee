// Keeps the page's files, so that it works without a network. The build fills in the list and its digest.
const FILES = [/* files */];
const CACHE = "dupack-DIGEST";

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("dupack-") && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const scope = new URL(self.registration.scope).pathname;
  const file = url.pathname.slice(scope.length) || "index.html";
  // Only files of the page: a plan that `dupack play` serves is never from the cache.
  if (!url.pathname.startsWith(scope) || !FILES.includes(file)) return;
  // The page itself comes from the network where there is one, so that a new version is seen at once.
  const kept = () => caches.open(CACHE).then((cache) => cache.match(file));
  if (file === "index.html") event.respondWith(fetch(request).catch(kept));
  else event.respondWith(kept().then((found) => found ?? fetch(request)));
});
