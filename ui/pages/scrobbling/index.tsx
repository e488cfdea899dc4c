// Scrobbling: ways, queue, settings and log.
import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconBroadcast, IconInfoCircle, IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useDrawn } from '../../api/drawn.ts'
import { useEventStream } from '../../api/stream.ts'
import { useAddressDialog } from '../../parts/page/address-dialog.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Fold } from '../../parts/page/fold.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { scrobbling as texts } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import { accountsOf, AddDialog } from './add-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { Queue } from './queue.tsx'
import { Settings, StandardValues } from './settings.tsx'
import { useOverview, useSave, waysOf, type Overview, type Way } from './use-overview.ts'
import { WatcherLog } from './watcher-log.tsx'
import { WayCard } from './way-card.tsx'

/** A delivery follows a playback change after about this time. */
const DELIVERY_MS = 1_500

export default function Scrobbling() {
  const client = useQueryClient()
  const query = useOverview()
  const adding = useAddressDialog('add')
  const overview = useDrawn(query.data)
  const canAdd = overview !== undefined && isConnected(overview)
  const changed = () => {
    for (const waitMs of [0, DELIVERY_MS])
      setTimeout(() => void client.invalidateQueries({ queryKey: ['scrobbling', 'queue'] }), waitMs)
  }
  useEventStream('/api/watch/stream', { message: changed, gap: changed })
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={adding.open}>
      {texts.add}
    </Button>
  )
  return (
    <Page title={texts.title} text={texts.intro} actions={canAdd && waysOf(overview).length > 0 ? add : undefined}>
      <QueryView query={query} rows={4}>
        {(known) => (
          <>
            <Content overview={known} add={add} />
            <AddDialog overview={known} opened={adding.isOpen} onClose={adding.close} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Content({ overview, add }: { readonly overview: Overview; readonly add: ReactNode }) {
  const [edited, setEdited] = useState<Way | null>(null)
  const ways = waysOf(overview)
  if (ways.length === 0 && !isConnected(overview)) return <Connect overview={overview} />
  return (
    <Stack gap="lg">
      {overview.hybrid_warning ? (
        <Text size="sm" c="dimmed">
          <IconInfoCircle size={15} aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {texts.hybrid}
        </Text>
      ) : null}
      {overview.legacy_webhooks.length === 0 ? null : <Legacy names={overview.legacy_webhooks} />}
      {ways.length === 0 ? (
        <EmptyState icon={IconBroadcast} title={texts.none} text={texts.noneText} action={add} />
      ) : (
        <section aria-label={texts.ways}>
          <Title order={2} size="h4" mb="sm">
            {texts.ways}
          </Title>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {ways.map((way) => (
              <WayCard key={way.key} way={way} overview={overview} onEdit={setEdited} />
            ))}
          </SimpleGrid>
        </section>
      )}
      <Queue />
      <Settings overview={overview} />
      <Fold title={texts.settings.values} isFramed>
        <StandardValues overview={overview} />
      </Fold>
      <Fold title={texts.log.title} isFramed>
        <WatcherLog />
      </Fold>
      <EditDialog way={edited} overview={overview} onClose={() => setEdited(null)} />
    </Stack>
  )
}

/** Names the missing account. */
function Connect({ overview }: { readonly overview: Overview }) {
  const { eligible_sources: sources, destination_availability: sinks } = overview
  const { connect } = texts
  const hasSource = accountsOf(sources).length > 0
  const hasSink = accountsOf(sinks).length > 0
  const list = (all: readonly { readonly label: string }[]) => all.map(({ label }) => label).join(', ')
  const text =
    !hasSource && !hasSink
      ? connect.both
      : hasSource
        ? say(connect.sink, { names: list(sinks) })
        : say(connect.source, { names: list(sources) })
  return (
    <EmptyState
      icon={IconPlugConnected}
      title={connect.title}
      text={text}
      action={
        <Button component={Link} href="/connections">
          {connect.action}
        </Button>
      }
    />
  )
}

function Legacy({ names }: { readonly names: readonly string[] }) {
  const save = useSave()
  const { legacy } = texts
  async function remove() {
    if (!(await confirm({ title: legacy.title, text: legacy.confirm, touches: names, action: legacy.action }))) return
    try {
      await save('POST /api/scrobbler/webhooks/cleanup-legacy', {})
      notifyDone(legacy.done)
    } catch (error) {
      notifyFailure(error)
    }
  }
  return (
    <Alert color="blue" icon={<IconInfoCircle aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 14rem' }}>
          {say(legacy.text, { names: names.join(', ') })}
        </Text>
        <Button size="xs" variant="default" onClick={() => void remove()}>
          {legacy.action}
        </Button>
      </Group>
    </Alert>
  )
}

/** Whether a media server and another account that records plays are connected. */
function isConnected({ eligible_sources: sources, destination_availability: sinks }: Overview): boolean {
  const targets = accountsOf(sinks)
  return accountsOf(sources).some((source) => targets.some(({ value }) => value !== source.value))
}
