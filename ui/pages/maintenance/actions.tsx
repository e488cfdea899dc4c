// The maintenance actions of all plugins, as cards by group.
import { Badge, Button, Group, Modal, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/query.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { maintenance } from '../../texts/en/maintenance.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { useNames } from '../../parts/values/names.ts'
import { Options, type Chosen } from './options.tsx'
import { Steps } from './steps.tsx'

const { actions: texts } = maintenance
type Action = Answer<'GET /api/maintenance/actions'>['actions'][number]
type Metric = NonNullable<Action['status']>['metrics'][number]
const S = 1_000
const POLL_MS = 2_000
/** About as high as the cards, so that the sections below do not count as seen before. */
const ROWS = 20

export function Actions() {
  const query = useRead(
    ['maintenance', 'actions'],
    'GET /api/maintenance/actions',
    { query: { status: true } },
    {
      refetchInterval: ({ state }) =>
        state.data?.actions.some(({ status }) => status?.run.state === 'running') === true ? POLL_MS : false,
    },
  )
  const [open, setOpen] = useState<Action | null>(null)
  return (
    <Stack gap="md" component="section" aria-label={texts.title}>
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <QueryView
        query={query}
        rows={ROWS}
        isEmpty={({ actions }) => actions.length === 0}
        empty={<Text c="dimmed">{texts.empty}</Text>}
      >
        {({ actions }) => (
          <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md">
            {actions
              .toSorted((a, b) => (groupOf(a) < groupOf(b) ? -1 : 1))
              .map((action) => (
                <Card key={action.id} action={action} onOpen={() => setOpen(action)} />
              ))}
          </SimpleGrid>
        )}
      </QueryView>
      {open === null ? null : <ActionDialog action={open} onClose={() => setOpen(null)} />}
    </Stack>
  )
}

function groupOf({ group }: Action): string {
  return (texts.groups as Readonly<Record<string, string>>)[group] ?? texts.groups.other
}

function Card({ action, onOpen }: { readonly action: Action; readonly onOpen: () => void }) {
  const { id, loses_data: losesData, backup_first: backupFirst, status: data } = action
  const [title, note] = [serviceText(action.title), serviceText(action.note)]
  const run = data?.run
  // Times and missing values are not useful in a preview.
  const metrics = (data?.metrics ?? []).filter(({ format, value }) => format !== 'datetime' && value !== 0)
  return (
    <Paper withBorder p="md" component="article" aria-labelledby={`action-${id}`}>
      <Stack gap="xs" h="100%" justify="space-between">
        <div>
          <Text size="xs" c="dimmed">
            {groupOf(action)}
          </Text>
          <Text fw={600} id={`action-${id}`}>
            {title}
          </Text>
          <Text size="sm" c="dimmed" lineClamp={3} title={note}>
            {note}
          </Text>
          {data === undefined ? null : (
            <Text size="sm" mt="xs" lineClamp={2}>
              {metrics.length === 0 ? texts.nothing : metrics.map(metricText).join(' · ')}
            </Text>
          )}
        </div>
        <Group justify="space-between" align="flex-end" gap="xs" wrap="nowrap">
          <Group gap="xs">
            {losesData ? (
              <Badge variant="light" color="orange">
                {texts.losesData}
              </Badge>
            ) : null}
            {backupFirst ? <Badge variant="default">{texts.backupFirst}</Badge> : null}
            {run === undefined || run.state === 'idle' ? null : (
              <Text size="xs" c="dimmed" component="div">
                {run.state === 'running' ? (
                  texts.running
                ) : (
                  <>
                    {texts.last}: <TimeText at={(run.finished_at ?? 0) * S} />
                    {run.state === 'failed' ? `, ${texts.failed}` : ''}
                  </>
                )}
              </Text>
            )}
          </Group>
          <Button
            size="xs"
            variant="default"
            style={{ flexShrink: 0 }}
            aria-label={say(texts.open, { title })}
            onClick={onOpen}
          >
            {texts.look}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function metricText({ label, value, format }: Metric): string {
  const text =
    value === null
      ? '–'
      : format === 'bytes'
        ? bytesText(Number(value))
        : typeof value === 'number'
          ? say('{n}', { n: value })
          : value
  const name = serviceText(label)
  return `${name.charAt(0).toLocaleUpperCase(locale)}${name.slice(1)} ${text}`
}

/** A maintenance action: preview, confirmation and result. */
function ActionDialog({ action, onClose }: { readonly action: Action; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>({})
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs')
  const names = useNames()
  const run = useChange('POST /api/maintenance/actions/{action}', { refresh: [['maintenance'], ['attention']] })
  const look = useChange('POST /api/maintenance/actions/{action}')
  return (
    <Modal opened onClose={onClose} title={serviceText(action.title)} size="lg">
      <Steps
        key={JSON.stringify(chosen)}
        note={serviceText(action.note)}
        losesData={action.loses_data}
        backupFirst={action.backup_first}
        look={look}
        run={run}
        onLook={() => look.mutate({ params: { action: action.id }, body: { dry_run: true, options: chosen } })}
        onRun={() => run.mutate({ params: { action: action.id }, body: { confirm: true, options: chosen } })}
        onClose={onClose}
        options={
          action.options.length === 0 ? null : (
            <Options options={action.options} pairs={pairs ?? []} names={names} chosen={chosen} onChosen={setChosen} />
          )
        }
      />
    </Modal>
  )
}
