// Keeps the page's files, so that it works without a network. The build fills in the list and its digest.
//
// A new version waits until no page of an older one is open, and only then removes the older files: until it is closed, a page may ask for more
// of its own. Names of files have a digest, so files of several versions can be kept side by side. The page itself, index.html, is of the
// newest version that can be reached.
const FILES = [/* files */];
// Another place on the same host may have a playground, too.
const OURS = `dupack ${self.registration.scope} `;
const CACHE = `${OURS}DIGEST`;

/** Our caches, the newest first. */
async function ours() {
  const names = await caches.keys();
  return names.filter((name) => name.startsWith(OURS)).reverse();
}

/** A file of the newest version that has it. Files of a version are kept all or none. */
async function kept(file) {
  for (const name of await ours()) {
    const found = await (await caches.open(name)).match(file);
    if (found) return found;
  }
  return undefined;
}

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const old = (await ours()).filter((name) => name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

async function answer(request, file) {
  // A file with a digest in its name never changes. The page itself is asked for where there is a network, so that a new version is seen at once.
  if (file.startsWith("assets/")) return (await kept(file)) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const found = await kept(file);
    if (found) return found;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const scope = new URL(self.registration.scope).pathname;
  if (request.method !== "GET" || url.origin !== self.location.origin || !url.pathname.startsWith(scope)) return;
  const file = url.pathname.slice(scope.length) || "index.html";
  // Only files of the page: a plan that `dupack play` serves is never from a cache.
  if (file.startsWith("assets/") || FILES.includes(file)) event.respondWith(answer(request, file));
});
