// The delivery queue: waiting, failed and delivered plays.
import { Anchor, Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNames, type Names } from '../../parts/values/names.ts'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import { deliveryName, reasonText, whatText, type Delivery } from './delivery-text.ts'

const { queue: texts } = scrobbling
type View = keyof typeof texts.views
const VIEWS = Object.keys(texts.views) as View[]
const STATES: Readonly<Record<View, readonly Delivery['state'][]>> = {
  open: ['queued', 'sending', 'waiting', 'planned'],
  failed: ['failed'],
  done: ['done', 'dropped'],
}
const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  queued: 'busy',
  sending: 'busy',
  waiting: 'warn',
  planned: 'busy',
  done: 'good',
  failed: 'bad',
  dropped: 'idle',
}
const POLL_MS = 5_000
const PAGE = 20
const MOST = 500

export function Queue() {
  const names = useNames()
  const [view, setView] = useState<View>('open')
  const [limit, setLimit] = useState(PAGE)
  const query = useRead(
    ['scrobbling', 'queue'],
    'GET /api/scrobbler/queue',
    { query: { view, limit } },
    { refetchInterval: POLL_MS, keepPrevious: true },
  )
  const counts = query.data?.counts ?? {}
  const total = (of: View) => STATES[of].reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Group justify="space-between" align="flex-start" mb="sm">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Title order={2} size="h4">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.text}
          </Text>
        </div>
        <SegmentedControl
          aria-label={texts.label}
          // The counts make it wider.
          style={query.isPending ? { visibility: 'hidden' } : undefined}
          value={view}
          onChange={(next) => {
            setView(next as View)
            setLimit(PAGE)
          }}
          data={VIEWS.map((value) => ({
            value,
            label:
              query.data === undefined || total(value) === 0
                ? texts.views[value]
                : say(texts.viewCount, { view: texts.views[value], n: total(value) }),
          }))}
        />
      </Group>
      <QueryView
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<Text c="dimmed">{texts.none[view]}</Text>}
      >
        {({ items, total: all }) => (
          <Stack gap="xs">
            <Stack component="ul" gap={0} p={0} m={0} style={{ listStyle: 'none' }}>
              {items.map((delivery) => (
                <Row key={delivery.id} delivery={delivery} names={names} />
              ))}
            </Stack>
            {all <= items.length || limit >= MOST ? null : (
              <Button
                variant="default"
                size="xs"
                style={{ alignSelf: 'flex-start' }}
                onClick={() => setLimit(Math.min(limit * 2, MOST))}
              >
                {texts.more}
              </Button>
            )}
          </Stack>
        )}
      </QueryView>
      <Anchor
        component={Link}
        href="/events?domain=scrobble"
        size="sm"
        underline="always"
        display="inline-block"
        mt="sm"
      >
        {texts.toEvents}
      </Anchor>
    </Paper>
  )
}

function Row({ delivery, names }: { readonly delivery: Delivery; readonly names: Names }) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const { id, state, at, attempts, account, due_at: dueAt } = delivery
  const title = deliveryName(delivery)
  const target = names.account(delivery.target, delivery.target_instance)
  const reason = reasonText(delivery.reason, target)
  const isOpen = STATES.open.includes(state)

  async function act(operation: 'retry' | 'drop', done: string) {
    setBusy(true)
    try {
      await api(`POST /api/scrobbler/queue/{id}/${operation}`, { params: { id } })
      notifyDone(done)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
      await client.invalidateQueries({ queryKey: ['scrobbling', 'queue'] })
    }
  }

  async function drop() {
    const isSure = await confirm({
      title: texts.dropTitle,
      text: say(texts.dropText, { target }),
      touches: [title],
      action: texts.drop,
    })
    if (isSure) await act('drop', texts.dropped)
  }

  return (
    <Group
      component="li"
      aria-label={title}
      justify="space-between"
      gap="sm"
      py="xs"
      style={{ borderTop: '1px solid var(--row-line)' }}
    >
      <div style={{ flex: '1 1 14rem', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Text fw={500}>{title}</Text>
          <StatusBadge tone={TONES[state]} label={texts.states[state]} />
        </Group>
        <Text size="sm" component="div">
          {say(texts.to, { what: whatText(delivery), target })}{' '}
          <Text span inherit c="dimmed">
            {say(texts.from, { source: names.account(delivery.source, delivery.source_instance) })}
            {account === null ? '' : ` ${say(texts.by, { account })}`} · <TimeText at={at * 1000} />
          </Text>
        </Text>
        {reason === null && (!isOpen || attempts === 0) ? null : (
          <Text size="sm" c="dimmed" component="div">
            {reason}
            {!isOpen || attempts === 0 ? null : (
              <>
                {' '}
                {say(texts.attempts, { n: attempts })}
                {dueAt === null || state === 'queued' ? null : (
                  <>
                    {' · '}
                    {texts.next} <TimeText isAhead at={dueAt * 1000} />
                  </>
                )}
              </>
            )}
          </Text>
        )}
      </div>
      {isOpen || state === 'failed' ? (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            aria-label={say(texts.retryLabel, { title })}
            onClick={() => void act('retry', texts.retried)}
          >
            {texts.retry}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            disabled={isBusy}
            aria-label={say(texts.dropLabel, { title })}
            onClick={() => void drop()}
          >
            {texts.drop}
          </Button>
        </Group>
      ) : null}
    </Group>
  )
}
