// Signing a profile in, in a window over the page.
import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { SignIn } from '../../parts/sign-in/index.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'

export interface SignInWanted {
  readonly provider: string
  readonly label: string
  readonly instance: string
}

/** `null` is closed. */
export function SignInDialog({
  wanted,
  onClose,
}: {
  readonly wanted: SignInWanted | null
  readonly onClose: () => void
}) {
  const signedIn = useSignedIn()
  return (
    <Modal
      opened={wanted !== null}
      onClose={onClose}
      title={wanted === null ? '' : say(connections.signInTo, { label: wanted.label })}
      size="lg"
    >
      {wanted === null ? null : (
        <SignIn
          provider={wanted.provider}
          instance={wanted.instance}
          onDone={() => {
            onClose()
            signedIn(wanted.label)
          }}
        />
      )}
    </Modal>
  )
}

/** Says so, and reads everything again: a new account changes much. */
export function useSignedIn(): (label: string) => void {
  const client = useQueryClient()
  return (label) => {
    notifyDone(say(connections.signedIn, { label }))
    void client.invalidateQueries()
  }
}
