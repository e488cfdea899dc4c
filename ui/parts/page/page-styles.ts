// Styles of the library components that the first view does not have; they are loaded with the first part that may need
// them.
let loading: Promise<void> | undefined

/** Resolves as well when they cannot be loaded: a page without them can be used. */
export function pageStyles(): Promise<void> {
  loading ??= load().catch(() => {
    loading = undefined
  })
  return loading
}

function load(): Promise<void> {
  const href = document.querySelector('link[rel="page-styles"]')?.getAttribute('href')
  if (href == null) return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  link.onload = () => resolve()
  link.onerror = () => {
    link.remove()
    reject(new Error(`could not load ${href}`))
  }
  document.head.append(link)
  return promise
}
