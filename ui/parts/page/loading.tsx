// Placeholders for parts of a page that are not known yet. While the page is filled for the first time, what follows such a part
// comes after it, so that nothing moves. Later nothing is hidden: a person may be reading it, or have the focus in it.
import { Center, Loader, Skeleton, Stack } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { shell } from '../../texts/en/shell.ts'

interface Filling {
  /** Parts that are not known yet. */
  open: number
  isOver: boolean
}

const FillingContext = createContext<Filling>({ open: 0, isOver: true })

/** The content of a page. */
export function FirstFill({ children }: { readonly children: ReactNode }) {
  const [filling] = useState<Filling>({ open: 0, isOver: false })
  return <FillingContext value={filling}>{children}</FillingContext>
}

/** The class of an element in place of a part. */
function usePlace(): string | undefined {
  const filling = useContext(FillingContext)
  const [isFirst] = useState(!filling.isOver)
  useEffect(() => {
    if (!isFirst) return undefined
    filling.open += 1
    return () => {
      filling.open -= 1
      // The part itself may begin with others.
      requestAnimationFrame(() => {
        filling.isOver ||= filling.open === 0
      })
    }
  }, [filling, isFirst])
  return isFirst ? 'pending' : undefined
}

/** For a section that may be absent. */
export function Pending() {
  return <span className={usePlace()} hidden />
}

/** A spinner, or a list skeleton with `rows`. */
export function Loading({ rows = 0, fullPage = false }: { readonly rows?: number; readonly fullPage?: boolean }) {
  return (
    <div role="status" aria-label={shell.loading} className={usePlace()}>
      {rows > 0 ? (
        <Stack gap="xs">
          {Array.from({ length: rows }, (_, row) => row).map((row) => (
            <Skeleton key={row} h={44} />
          ))}
        </Stack>
      ) : (
        <Center mih={fullPage ? '100vh' : 160}>
          <Loader />
        </Center>
      )}
    </div>
  )
}
