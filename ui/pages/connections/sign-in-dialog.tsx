// The sign-in of a profile in a dialog.
import { Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { SignIn } from '../../parts/sign-in/index.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'

export interface SignInTarget {
  readonly provider: string
  readonly label: string
  readonly instance: string
  /** The profile was created for this sign-in. */
  readonly isNew?: boolean
  /** Another person signs in. */
  readonly person?: string
}

/** `target: null` closes the dialog. */
export function SignInDialog({
  target,
  onClose,
  onDone = onClose,
}: {
  readonly target: SignInTarget | null
  readonly onClose: () => void
  /** Called after the sign-in. If the user cancels, only `onClose` is called. */
  readonly onDone?: () => void
}) {
  const signedIn = useSignedIn()
  return (
    <Modal
      opened={target !== null}
      onClose={onClose}
      title={target === null ? '' : say(connections.signInTo, { label: target.label })}
      size="lg"
    >
      {target?.person === undefined ? null : (
        <Text size="sm" c="dimmed" mb="md">
          {say(connections.people.send, { name: target.person })}
        </Text>
      )}
      {target === null ? null : (
        <SignIn
          provider={target.provider}
          instance={target.instance}
          onCancel={onClose}
          onDone={() => {
            onDone()
            signedIn(target.label)
          }}
        />
      )}
    </Modal>
  )
}

/** Notifies and invalidates all queries, because a new account affects most of them. */
export function useSignedIn(): (label: string) => void {
  const client = useQueryClient()
  return (label) => {
    notifyDone(say(connections.signedIn, { label }))
    void client.invalidateQueries()
  }
}
