// The search dialog with Ctrl+K or Cmd+K, and the other keyboard shortcuts.
import { useHotkeys } from '@mantine/hooks'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { ROUTES } from './routes.ts'
import { useShortcuts } from './shortcuts.ts'

let opener: () => void = () => {}

const SearchBox = lazyPart(() => import('./search-box.tsx'))
const ShortcutSheet = lazyPart(() => import('./shortcut-sheet.tsx'))

export function openSearch(): void {
  opener()
}

/** Loads the dialogs on first use. */
export function Search() {
  const [openCount, setOpenCount] = useState(0)
  const [shortcuts, setShortcuts] = useState<'never' | 'open' | 'closed'>('never')
  const open = useCallback(() => setOpenCount((n) => n + 1), [])
  const showShortcuts = useCallback(() => setShortcuts('open'), [])
  useEffect(() => {
    opener = open
  }, [open])
  useHotkeys([['mod+K', open]], [])
  useShortcuts(pathOf, showShortcuts, open)
  return (
    <Suspense>
      {openCount === 0 ? null : <SearchBox openCount={openCount} onShortcuts={showShortcuts} />}
      {shortcuts === 'never' ? null : (
        <ShortcutSheet isOpen={shortcuts === 'open'} onClose={() => setShortcuts('closed')} />
      )}
    </Suspense>
  )
}

function pathOf(area: string): string | undefined {
  return ROUTES.find((route) => route.area === area)?.paths[0]
}
