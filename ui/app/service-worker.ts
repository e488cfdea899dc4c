// The service worker: shows an offline page while the service cannot be reached. It stores nothing: the browser caches files,
// and data is never cached.
declare const OFFLINE: {
  readonly version: string
  readonly typeface: string
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
}

interface FetchEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
const scope = globalThis as unknown as {
  readonly navigator: { readonly language: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(
    type: 'install' | 'activate',
    listener: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  // Only page loads: data requests fail as they would without a worker.
  if (request.mode === 'navigate' && request.method === 'GET') event.respondWith(fetch(request).catch(offline))
})

const LOGO =
  '<svg viewBox="0 0 32 32" width="72" height="72" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#5639c6"/><path d="M6 21h20" stroke="#c3b8ff" stroke-width="2.5" stroke-linecap="round"/><path d="M6 21h9" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/><path d="M10.5 7.5h9v6l-4.5 4-4.5-4z" fill="#fff"/><path d="M15 17.5v7" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>'
// The browser has the typeface, because pages used it.
const STYLE =
  `@font-face{font-family:Figtree;src:url(${new URL(OFFLINE.typeface, location.href).href}) format("woff2");font-weight:300 900}` +
  'body{margin:0;min-height:100vh;display:grid;place-content:center;justify-items:center;gap:1rem;padding:1.5rem;text-align:center;font:1rem/1.5 Figtree,system-ui,sans-serif;background:#0c0f16;color:#dfe3ec}h1{font-size:1.6rem;margin:0}p{margin:0;color:#a6adb4;max-width:32rem}a{color:#fff;background:#6246dc;padding:.6rem 1.2rem;border-radius:.6rem;text-decoration:none;font-weight:600}'

// Polls the page until the service answers (a 5xx of a proxy does not count), then reloads it.
const RETURN =
  '(function ask(){setTimeout(function(){fetch(location.href,{cache:"no-store",redirect:"manual"}).then(function(a){a.status<500?location.reload():ask()},ask)},2000)})()'

function offline(): Response {
  const language = scope.navigator.language.split('-')[0] ?? 'en'
  const texts = OFFLINE.texts[language] ?? OFFLINE.texts['en'] ?? {}
  const html = `<!doctype html><html lang="${language in OFFLINE.texts ? language : 'en'}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Playhead</title><style>${STYLE}</style>${LOGO}<h1>${texts['title']}</h1><p>${texts['text']}</p><a href="">${texts['retry']}</a><script>${RETURN}</script></html>`
  return new Response(html, { status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } })
}
