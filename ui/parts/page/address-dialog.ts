// A dialog whose state is in the address (`?open=create`), so that a link and the search can open it.
import { useSearchParams } from 'wouter'

const NAME = 'open'

interface AddressDialog {
  readonly isOpen: boolean
  readonly open: () => void
  readonly close: () => void
}

export function useAddressDialog(name: string): AddressDialog {
  const [opened, setOpened] = useOpened()
  return { isOpen: opened === name, open: () => setOpened(name), close: () => setOpened(null) }
}

/** The name of the open dialog, for pages with a dialog of several kinds. */
export function useOpened(): readonly [opened: string | null, set: (name: string | null) => void] {
  const [params, setParams] = useSearchParams()
  return [
    params.get(NAME),
    (name) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          if (name === null) after.delete(NAME)
          else after.set(NAME, name)
          return after
        },
        { replace: true },
      ),
  ]
}
