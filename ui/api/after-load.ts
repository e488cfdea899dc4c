// Delays code that the first view does not need until that view is rendered.
import { startTransition, useEffect, useState } from 'react'

const FIRST_VIEW_MS = 700

let isOver = false
export const afterLoad: Promise<void> = new Promise((resolve) => {
  setTimeout(() => {
    isOver = true
    resolve()
  }, FIRST_VIEW_MS)
})

export function useAfterLoad(): boolean {
  const [is, set] = useState(isOver)
  useEffect(() => {
    let isMounted = true
    void afterLoad.then(() => isMounted && startTransition(() => set(true)))
    return () => {
      isMounted = false
    }
  }, [])
  return is
}
