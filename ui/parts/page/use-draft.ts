// A form's copy of what was read.
import { useState } from 'react'

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * What is changed elsewhere comes into the form, unless the person has changed something in it: then `reload` is given,
 * which takes what is there now in place of the person's changes.
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
