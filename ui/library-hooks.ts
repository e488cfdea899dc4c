// Hooks of the component library that draw each component twice, because they suit pages that a server has drawn: their first
// value is not the final one. These have it from the start.
import type { Plugin } from 'esbuild'

const HOOKS: Readonly<Record<string, string>> = {
  'use-id': `import { useId as useOwnId } from 'react'
export function useId(given) {
  const own = useOwnId()
  return typeof given === 'string' ? given : own
}`,
  'use-media-query': `import { useSyncExternalStore, useCallback } from 'react'
export function useMediaQuery(query) {
  const follow = useCallback((onChange) => {
    const list = matchMedia(query)
    list.addEventListener('change', onChange)
    return () => list.removeEventListener('change', onChange)
  }, [query])
  return useSyncExternalStore(follow, () => matchMedia(query).matches)
}`,
}

export const libraryHooks: Plugin = {
  name: 'library-hooks',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@mantine[\\/]hooks[\\/].*[\\/](?:use-id|use-media-query)\.mjs$/ }, ({ path }) => ({
      contents: HOOKS[/([^\\/]+)\.mjs$/.exec(path)?.[1] ?? ''],
      loader: 'js',
    }))
  },
}
