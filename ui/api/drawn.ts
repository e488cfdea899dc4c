// Drawing of large data in slices.
import { useDeferredValue } from 'react'

/** The data that is drawn already; undefined while the first is. For a list, and what is around it and comes with it. */
export function useDrawn<Data>(data: Data | undefined): Data | undefined {
  // Deferred, so that a long list does not block input.
  const drawn = useDeferredValue(data)
  // Do not show the data of the previous object while a new one loads.
  return data === undefined ? undefined : drawn
}
