// A hook of the component library that draws each component twice: its first value suits pages that a server has drawn, and its
// final one is set in an effect. The library has no option for it, so the build puts React's own hook in its place.
import type { Plugin } from 'esbuild'

const USE_ID = `import { useId as useOwnId } from 'react'
export function useId(given) {
  const own = useOwnId()
  return typeof given === 'string' ? given : own
}`

export const libraryHooks: Plugin = {
  name: 'library-hooks',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@mantine[\\/]hooks[\\/].*[\\/]use-id\.mjs$/ }, () => ({ contents: USE_ID, loader: 'js' }))
  },
}
