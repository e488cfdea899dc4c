// An editable copy of fetched data.
import { useState } from 'react'

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Changes from elsewhere update the form, unless the user has edited it: then `reload` is set, which replaces the user's
 * changes with the current data.
 */
export function useDraft<Value>(
  read: Value,
): readonly [draft: Value, setDraft: (next: Value | ((now: Value) => Value)) => void, reload: (() => void) | null] {
  const [draft, setDraft] = useState(read)
  const [begun, setBegun] = useState(read)
  const take = () => {
    setBegun(read)
    setDraft(read)
  }
  if (begun !== read && (isSame(draft, begun) || isSame(draft, read))) take()
  return [draft, setDraft, isSame(begun, read) ? null : take]
}
