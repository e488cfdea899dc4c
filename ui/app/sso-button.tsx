import { Alert, Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { login } from '../texts/en/login.ts'
import { say } from '../texts/say.ts'
import { useApproval } from './use-approval.ts'

export function SsoButton({ remember, onSignedIn }: { readonly remember: boolean; readonly onSignedIn: () => void }) {
  const available = useQuery({ queryKey: ['session', 'sso'], queryFn: () => api('GET /api/app-auth/mediaA/status') })
  const approval = useApproval({
    start: () => api('POST /api/app-auth/mediaA/start', { body: { remember_me: remember } }),
    check: (state) => api('POST /api/app-auth/mediaA/check', { body: { state } }),
    onApproved: onSignedIn,
    blocked: login.ssoBlocked,
    closed: login.ssoClosed,
  })

  if (available.data?.login_available !== true) return null
  const { isWaiting, problem } = approval
  return (
    <Stack gap="xs">
      <Button variant="default" onClick={() => void approval.start()} loading={isWaiting}>
        {say(login.sso, { label: login.ssoName })}
      </Button>
      <div role="status">
        {problem === null ? isWaiting ? login.ssoWaiting : null : <Alert color="red">{problem}</Alert>}
      </div>
    </Stack>
  )
}
