// Links an account of another service for sign-in.
import { Alert, Avatar, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconKey } from '@tabler/icons-react'
import { useCallback } from 'react'
import { api } from '../../../api/client.ts'
import { together, useChange, useRead } from '../../../api/query.ts'
import { useSession } from '../../../app/session-state.ts'
import { useApproval } from '../../../app/use-approval.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'

const { sso } = settings
const KEY = ['session', 'sso']
/** The sign-in provider, as named in the routes. */
const TOKEN = 'mediaA'

export default function SingleSignOn() {
  const { enabled } = useSession()
  const status = useRead(KEY, 'GET /api/app-auth/mediaA/status')
  const providers = useRead(['connections', 'providers'], 'GET /api/auth/providers', undefined, { staleTime: 60_000 })
  const label = providers.data?.find(({ token }) => token === TOKEN)?.label
  const unlink = useChange('POST /api/app-auth/mediaA/unlink', { refresh: [['session']] })

  async function askToUnlink(name: string) {
    if (!(await confirm({ title: say(sso.unlinkTitle, { name }), text: sso.unlinkText, action: sso.unlink }))) return
    await unlink.mutateAsync({ body: {} }).then(() => notifyDone(sso.unlinked), notifyFailure)
  }

  if (!enabled) return <EmptyState icon={IconKey} title={sso.notLinked} text={sso.off} />
  return (
    <QueryView query={together(status, providers)}>
      {({ linked, linked_username: name, linked_email: email, linked_at: linkedAt }) =>
        linked ? (
          <Card title={say(sso.linkedTo, { name: name || email })}>
            <Group justify="space-between">
              <Group gap="sm" wrap="nowrap" className="grow">
                <Avatar name={name || email} color="initials" radius="xl" aria-hidden />
                <div className="grow">
                  <Text fw={600}>{name}</Text>
                  <Text size="sm" c="dimmed">
                    {email === '' ? null : <>{email} · </>}
                    <TimeText at={linkedAt * 1000} />
                  </Text>
                </div>
              </Group>
              <Button
                variant="outline"
                color="red"
                loading={unlink.isPending}
                onClick={() => void askToUnlink(name || email)}
              >
                {sso.unlink}
              </Button>
            </Group>
            <Text size="sm" c="dimmed">
              {say(sso.linkedText, { label: label ?? sso.account })}
            </Text>
          </Card>
        ) : (
          <Card title={sso.notLinked} text={label === undefined ? undefined : say(sso.notLinkedText, { label })}>
            <LinkButton label={label ?? sso.account} />
          </Card>
        )
      }
    </QueryView>
  )
}

function LinkButton({ label }: { readonly label: string }) {
  const client = useQueryClient()
  const onApproved = useCallback(() => {
    notifyDone(sso.linked)
    void client.invalidateQueries({ queryKey: ['session'] })
  }, [client])
  const { isWaiting, problem, start, cancel } = useApproval({
    start: () => api('POST /api/app-auth/mediaA/link/start', { body: {} }),
    check: (state) => api('POST /api/app-auth/mediaA/link/check', { body: { state } }),
    onApproved,
    blocked: sso.blocked,
    closed: sso.closed,
  })

  return (
    <Stack gap="sm" align="flex-start">
      {isWaiting ? (
        <Group gap="sm">
          <Loader size="sm" aria-hidden />
          <Text role="status">{sso.waiting}</Text>
          <Button variant="default" size="xs" onClick={cancel}>
            {sso.cancel}
          </Button>
        </Group>
      ) : (
        <Button onClick={() => void start()} leftSection={<IconKey size={18} aria-hidden />}>
          {say(sso.link, { label })}
        </Button>
      )}
      <div role="alert">{problem === null ? null : <Alert color="red">{problem}</Alert>}</div>
    </Stack>
  )
}
