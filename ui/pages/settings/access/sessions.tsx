import { Badge, Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceLaptop, IconDeviceMobile } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useChange } from '../../../api/query.ts'
import { signOut, useSession, useSessionQuery, type SessionStatus } from '../../../app/session-state.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { deviceName, isHandheld } from './device.ts'

type Session = SessionStatus['other_sessions'][number]

const { sessions } = settings

export default function Sessions() {
  const status = useSession()
  const { refetch } = useSessionQuery()
  const [ending, setEnding] = useState<string | null>(null)
  const endOne = useChange('DELETE /api/app-auth/sessions/{id}', { refresh: [['session']] })
  const endOthers = useChange('POST /api/app-auth/logout-others', { refresh: [['session']] })
  const { current_session: current, other_sessions: others } = status

  async function end(session: Session) {
    const device = deviceName(session.ua)
    if (
      !(await confirm({
        title: sessions.endTitle,
        text: sessions.endText,
        touches: [`${device}, ${session.ip}`],
        action: sessions.end,
      }))
    )
      return
    setEnding(session.id)
    await endOne.mutateAsync({ params: { id: session.id } }).then(
      () => notifyDone(sessions.ended),
      async (error: unknown) => {
        notifyFailure(error)
        await refetch()
      },
    )
    setEnding(null)
  }

  async function endAllOthers() {
    const touches = others.map(({ ua, ip }) => `${deviceName(ua)}, ${ip}`)
    if (
      !(await confirm({
        title: sessions.endOthersTitle,
        text: sessions.endOthersText,
        touches,
        action: sessions.endOthers,
      }))
    )
      return
    await endOthers.mutateAsync({}).then(() => notifyDone(sessions.endedOthers), notifyFailure)
  }

  if (current === null) return <EmptyState icon={IconDeviceLaptop} title={sessions.none} text={sessions.off} />
  return (
    <Stack gap="lg">
      <Row
        session={current}
        action={
          <Button variant="default" size="xs" onClick={() => void signOut()}>
            {sessions.signOut}
          </Button>
        }
        isHere
      />
      <Stack component="section" aria-label={sessions.others} gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {sessions.others}
          </Title>
          {others.length === 0 ? null : (
            <Button
              size="xs"
              color="red"
              variant="outline"
              loading={endOthers.isPending}
              onClick={() => void endAllOthers()}
            >
              {sessions.endOthers}
            </Button>
          )}
        </Group>
        {others.length === 0 ? (
          <EmptyState icon={IconDeviceLaptop} title={sessions.none} text={sessions.noneText} />
        ) : (
          <Stack component="ul" className="plain-list" gap="xs">
            {others.map((session) => (
              <li key={session.id}>
                <Row
                  session={session}
                  action={
                    <Button
                      variant="default"
                      size="xs"
                      loading={ending === session.id}
                      onClick={() => void end(session)}
                      aria-label={say(sessions.endNamed, { device: deviceName(session.ua) })}
                    >
                      {sessions.end}
                    </Button>
                  }
                />
              </li>
            ))}
          </Stack>
        )}
      </Stack>
    </Stack>
  )
}

function Row({
  session: { ua, ip, created_at: createdAt, expires_at: expiresAt },
  action,
  isHere = false,
}: {
  readonly session: Session
  readonly action: ReactNode
  readonly isHere?: boolean
}) {
  const Icon = isHandheld(ua) ? IconDeviceMobile : IconDeviceDesktop
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap" className="grow">
          <ThemeIcon variant="light" size={38} {...(isHere ? {} : { color: 'gray' })}>
            <Icon size={20} aria-hidden />
          </ThemeIcon>
          <div className="grow">
            <Group gap="xs">
              <Text fw={600} size="sm" title={ua}>
                {deviceName(ua)}
              </Text>
              {isHere ? (
                <Badge variant="light" tt="none">
                  {sessions.here}
                </Badge>
              ) : null}
            </Group>
            <Text size="xs" c="dimmed">
              {ip} · <Filled text={sessions.since} time={<TimeText at={createdAt * 1000} />} /> ·{' '}
              <Filled text={sessions.ends} time={<TimeText isAhead at={expiresAt * 1000} />} />
            </Text>
          </div>
        </Group>
        {action}
      </Group>
    </Paper>
  )
}

/** A text that contains a relative time with its tooltip. */
function Filled({ text, time }: { readonly text: string; readonly time: ReactNode }) {
  const [before, after] = text.split('{time}')
  return (
    <>
      {before}
      {time}
      {after}
    </>
  )
}
