// The data sets: age, content and updates.
import { Alert, Button, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { anime } from '../../texts/en/anime.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { KEY, type Status } from './state.ts'

const { data: texts } = anime
const MEGA = 1_000_000
const number = new Intl.NumberFormat(locale)
const megabytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
const TONES: Readonly<Record<Status['status'], Tone>> = {
  installed: 'good',
  missing: 'idle',
  stale_schema: 'busy',
  updating: 'busy',
  error: 'bad',
}

export function DataPart({ status }: { readonly status: Status }) {
  const update = useChange('POST /api/anime-mapping/update', {
    refresh: [KEY],
    onDone: (answer) => notifyDone(answer.updated ? texts.updated : texts.unchanged),
  })
  const rebuild = useChange('POST /api/anime-mapping/rebuild-index', {
    refresh: [KEY],
    onDone: () => notifyDone(texts.rebuilt),
  })
  const { auto_update_status: auto } = status
  const isBusy = update.isPending || rebuild.isPending || status.status === 'updating' || auto.running
  const isStale = status.stale && status.status === 'installed'
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {texts.title}
            </Title>
            <StatusBadge
              tone={isBusy ? 'busy' : isStale ? 'warn' : TONES[status.status]}
              label={isBusy ? texts.states.updating : isStale ? texts.states.stale : texts.states[status.status]}
            />
          </Group>
          <Group gap="xs">
            {status.installed ? (
              <Button variant="subtle" size="xs" disabled={isBusy} onClick={() => rebuild.mutate({ body: {} })}>
                {texts.rebuild}
              </Button>
            ) : null}
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              loading={isBusy}
              onClick={() => update.mutate({ body: {} })}
            >
              {texts.update}
            </Button>
          </Group>
        </Group>
        {isBusy ? (
          <div role="status">
            <Progress value={100} animated striped aria-label={texts.states.updating} />
            <Text size="sm" c="dimmed" mt="2xs">
              {texts.updating}
            </Text>
          </div>
        ) : null}
        {update.error === null ? null : <Failure error={update.error} onRetry={() => update.mutate({ body: {} })} />}
        {rebuild.error === null ? null : <Failure error={rebuild.error} />}
        {!isBusy && update.error === null && auto.last_error !== '' ? (
          <Alert color="orange">{say(texts.failed, { reason: auto.last_error })}</Alert>
        ) : null}
        <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0} spacing="sm">
          <Fact label={texts.made}>
            <TimeText at={status.dataset_generated_on} />
          </Fact>
          <Fact label={texts.checked}>
            <TimeText at={status.last_checked_at * 1_000} />
          </Fact>
          <Fact label={texts.next}>
            {auto.next_check_at === 0 || !status.auto_update ? (
              texts.noNext
            ) : (
              <TimeText at={auto.next_check_at * 1_000} isAhead />
            )}
          </Fact>
          <Fact label={texts.release}>{status.installed_tag || '–'}</Fact>
          <Fact label={texts.sources}>{number.format(status.source_count)}</Fact>
          <Fact label={texts.edges}>{number.format(status.edge_count)}</Fact>
          <Fact label={texts.identities}>{number.format(status.identity_count)}</Fact>
          <Fact label={texts.size}>
            {megabytes.format((status.mappings_size + status.identity_size + status.db_size) / MEGA)}
          </Fact>
        </SimpleGrid>
        {status.identity_error === '' || status.identity_installed ? null : (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {say(texts.identityFailed, { reason: status.identity_error })}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fw={600} truncate>
        {children}
      </Text>
    </div>
  )
}
