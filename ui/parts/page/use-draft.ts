// A form's copy of what was read.
import { useState } from 'react'

/** What is changed elsewhere comes into the form, unless the person has changed something in it. */
export function useDraft<Value>(read: Value): readonly [Value, (next: Value | ((now: Value) => Value)) => void] {
  const [draft, setDraft] = useState(read)
  const [base, setBase] = useState(read)
  if (base !== read) {
    setBase(read)
    if (JSON.stringify(draft) === JSON.stringify(base)) setDraft(read)
  }
  return [draft, setDraft]
}
