// The sign-in dialog over a page whose session has expired.
import { Modal } from '@mantine/core'
import { login } from '../texts/en/login.ts'
import type { SessionStatus } from './session-state.ts'
import SignInForm from './sign-in-form.tsx'

export interface SignInWindowProps {
  readonly isOpen: boolean
  readonly status: SessionStatus
  readonly onSignedIn: () => void
}

export default function SignInWindow({ isOpen, status, onSignedIn }: SignInWindowProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={login.title}
      centered
    >
      <SignInForm status={status} hint={login.again} username={status.username} onSignedIn={onSignedIn} />
    </Modal>
  )
}
