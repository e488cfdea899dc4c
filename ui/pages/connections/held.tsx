// Why an account that acts as a user is held back, and what resolves it.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { SignInTarget } from './sign-in-dialog.tsx'
import { isHeld, problemOf } from './state.ts'
import type { Profile } from './use-connections.ts'

const texts = connections.people
/** Another name, or an id that came back, may be the same person. */
const CONFIRMABLE: ReadonlySet<string> = new Set(['user_changed', 'user_gone'])

export function Held({
  provider,
  label,
  profile,
  onSignIn,
}: {
  readonly provider: string
  readonly label: string
  readonly profile: Profile
  readonly onSignIn: (target: SignInTarget) => void
}) {
  const { id, acts_as: actsAs, reason_code: code } = profile
  const confirm = useChange('POST /api/connections/{provider}/{instance}/confirm-user', {
    refresh: [['connections']],
    onDone: () => notifyDone(say(texts.confirmed, { name: actsAs?.name ?? '' })),
  })
  if (actsAs === null || !isHeld(profile)) return null
  const { name } = actsAs
  return (
    <Alert color="yellow" title={problemOf(profile)}>
      <Stack gap="sm">
        <Text size="sm">{say(texts.heldText, { name })}</Text>
        {confirm.error === null ? null : <Failure error={confirm.error} />}
        <Group gap="xs">
          {CONFIRMABLE.has(code ?? '') ? (
            <Button
              size="xs"
              loading={confirm.isPending}
              onClick={() => confirm.mutate({ params: { provider, instance: id } })}
            >
              {texts.confirm}
            </Button>
          ) : null}
          <Button size="xs" variant="default" onClick={() => onSignIn({ provider, label, instance: id, person: name })}>
            {say(texts.invite, { name })}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
