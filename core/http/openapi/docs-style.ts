// What the pages at /docs need to be readable: colours with enough contrast, and names for the choice of the server and the logo.
export const DOCS_STYLE = `
.swagger-ui .topbar { background: #0c0f16 }
.swagger-ui .topbar .download-url-wrapper .select-label select { border-color: #7a61f4 }
.swagger-ui a, .swagger-ui .info a, .swagger-ui .info .title + a .url, .swagger-ui .url { color: #1a5fb4 }
.swagger-ui .info .title small { background: #555c68 }
.swagger-ui .info .title small.version-stamp { background: #3f6600 }
.swagger-ui .btn.authorize { color: #1d6b45; border-color: #1d6b45 }
.swagger-ui .btn.authorize span { color: #1d6b45 }
html.dark-mode .swagger-ui a, html.dark-mode .swagger-ui .info a, html.dark-mode .swagger-ui .info .title + a .url, html.dark-mode .swagger-ui .url { color: #8ec5ff }
html.dark-mode .swagger-ui .btn.authorize { color: #7fd8a5; border-color: #7fd8a5 }
html.dark-mode .swagger-ui .btn.authorize span { color: #7fd8a5 }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a5fb4 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1d6b45 }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b00 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #1a6a63 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
`
export const DOCS_SCRIPT = `new MutationObserver(() => {
  const servers = document.querySelector('#servers:not([aria-label])')
  if (servers !== null) servers.setAttribute('aria-label', 'Server')
  const logo = document.querySelector('.topbar img:not([alt])')
  if (logo !== null) logo.setAttribute('alt', 'Playhead')
}).observe(document, { childList: true, subtree: true })`
