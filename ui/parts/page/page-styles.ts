// Styles of library components that the first view does not use; loaded with the first part that needs them.
let loading: Promise<void> | undefined

/** Also resolves when loading fails, because a page works without them. */
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
