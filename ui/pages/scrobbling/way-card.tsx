// One way from a media server account to a tracker: status, switch and address.
import { Anchor, Badge, Button, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import { useRefresh, useSave, waysOf, type Overview, type Way } from './use-overview.ts'
import { WebhookAddress } from './webhook-address.tsx'
import { stateOf, type WayState } from './way-state.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

const { actions, details, methods } = scrobbling

export function WayCard({
  way,
  overview,
  onEdit,
}: {
  readonly way: Way
  readonly overview: Overview
  readonly onEdit: (way: Way) => void
}) {
  const save = useSave()
  const [isBusy, setBusy] = useState(false)
  const { route, webhook, sourceName, sinkName } = way
  const name = say(scrobbling.wayName, { source: sourceName, sink: sinkName })
  const state = stateOf(way, overview)
  const account = { provider: way.provider, provider_instance: way.instance }

  async function act(work: () => Promise<unknown>, done?: string) {
    setBusy(true)
    try {
      await work()
      if (done !== undefined) notifyDone(done)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
    }
  }

  const turn = (enabled: boolean) =>
    act(() =>
      route === undefined
        ? save('POST /api/scrobbler/webhooks/profile', { body: { ...account, enabled } })
        : save('PUT /api/scrobbler/routes/{route_id}', { params: { route_id: route.id }, body: { enabled } }),
    )

  async function remove() {
    const isSure = await confirm({
      title: say(actions.removeTitle, { name }),
      text: actions.removeText,
      action: actions.remove,
    })
    if (!isSure) return
    await act(
      () =>
        route === undefined
          ? save('POST /api/scrobbler/webhooks/profile/disable', { body: { ...account, sink: way.sink, remove: true } })
          : save('DELETE /api/scrobbler/routes/{route_id}', { params: { route_id: route.id } }),
      say(actions.removed, { name }),
    )
  }

  return (
    <Paper withBorder p="md" component="article" aria-label={name}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" gap="xs" align="flex-start">
          <div style={{ minWidth: 0, flex: '1 1 12rem' }}>
            <Group gap="xs" wrap="nowrap">
              <Group gap={0} wrap="nowrap" className="marks">
                <ServiceMark provider={way.provider} size={28} />
                <ServiceMark provider={way.sink} size={28} />
              </Group>
              <Title order={3} size="h5" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Title>
            </Group>
            <Group gap="xs" mt="2xs">
              <StatusBadge tone={state.tone} label={state.label} />
              <Badge variant="light" color="gray" tt="none">
                {methods[route === undefined ? 'webhook' : 'watcher']}
              </Badge>
            </Group>
          </div>
          <Switch
            mt="2xs"
            label={actions.on}
            aria-label={say(actions.onLabel, { name })}
            checked={way.enabled}
            disabled={isBusy}
            onChange={(event) => void turn(event.currentTarget.checked)}
          />
        </Group>
        <StateText way={way} state={state} />
        <Notes way={way} overview={overview} />
        {webhook === undefined || webhook.endpoint_url === '' ? null : (
          <WebhookAddress
            url={webhook.endpoint_url}
            use={`scrobble:${webhook.provider}:${webhook.provider_instance}`}
            sourceName={sourceName}
            setup={way.source?.setup ?? ''}
            onRenew={() => save('POST /api/scrobbler/webhooks/profile/regenerate', { body: account })}
          />
        )}
        {route === undefined || route.ratings_webhook_url === '' ? null : (
          <WebhookAddress
            label={scrobbling.address.ratingsLabel}
            url={route.ratings_webhook_url}
            use={`scrobble:rating:route:${route.id}`}
            sourceName={sourceName}
            setup={way.source?.setup ?? ''}
            onRenew={() =>
              save('PUT /api/scrobbler/routes/{route_id}', {
                params: { route_id: route.id },
                body: { regenerate_ratings_webhook: true },
              })
            }
          />
        )}
        <Group gap="xs" mt="auto">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label={say(actions.editLabel, { name })}
            onClick={() => onEdit(way)}
          >
            {actions.edit}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            aria-label={say(actions.removeLabel, { name })}
            disabled={isBusy}
            onClick={() => void remove()}
          >
            {actions.remove}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function StateText({ way, state: { text, help, group } }: { readonly way: Way; readonly state: WayState }) {
  const refresh = useRefresh()
  async function start() {
    try {
      await api('POST /api/watch/start')
    } catch (error) {
      notifyFailure(error)
    }
    await refresh()
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {text}
        {group?.retry_at == null ? null : (
          <>
            {' '}
            {details.retryAt} <TimeText isAhead at={group.retry_at * 1000} />.
          </>
        )}
      </Text>
      {way.route === undefined || group?.connected !== true ? null : (
        <Text size="sm" c="dimmed">
          {details.lastEvent}{' '}
          <TimeText at={group.last_event_at === null ? null : group.last_event_at * 1000} never={details.noEvent} />
        </Text>
      )}
      {help === undefined ? null : 'start' in help ? (
        <Button size="xs" leftSection={<IconPlayerPlay size={14} aria-hidden />} onClick={() => void start()}>
          {details.start}
        </Button>
      ) : (
        <Anchor component={Link} href={`/connections/${help.connect}`} size="sm" underline="always">
          {say(details.openConnection, { name: help.name })}
        </Anchor>
      )}
    </Stack>
  )
}

function Notes({ way, overview }: { readonly way: Way; readonly overview: Overview }) {
  const { webhook, route } = way
  const shared =
    webhook === undefined
      ? []
      : waysOf(overview).filter(
          (one) =>
            one.webhook !== undefined &&
            one.key !== way.key &&
            one.provider === way.provider &&
            one.instance === way.instance,
        )
  const needsPeople = (route ?? webhook)?.needs_account_filter === true
  return (
    <>
      {shared.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {say(details.shared, {
            names: shared
              .map(({ sourceName, sinkName }) => say(scrobbling.wayName, { source: sourceName, sink: sinkName }))
              .join(', '),
          })}
        </Text>
      )}
      {needsPeople ? (
        <Text size="sm" c="dimmed">
          {say(details.people, { source: way.sourceName })}
        </Text>
      ) : null}
    </>
  )
}
