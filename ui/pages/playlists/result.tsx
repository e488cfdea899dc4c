// The outcome of a sync or preview: counts, warnings, held removals and skipped items.
import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconHandStop } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { UndoButton } from '../../parts/runs/undo.tsx'
import { useNames } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists as texts } from '../../texts/en/playlists.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import {
  errorOf,
  HELD,
  KEY,
  type Mapping,
  type Preview,
  reasonOf,
  statusOf,
  type Unmatched as Row,
  warningOf,
} from './state.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'

const number = new Intl.NumberFormat(locale)
const listed = new Intl.ListFormat(locale)
const SHOWN = 8

export type Approve = (order: { readonly allow_mass_delete: boolean }) => void
type Found = Pick<
  Preview,
  | 'blocked_items'
  | 'warnings'
  | 'error'
  | 'overflow_count'
  | 'blocked_removals'
  | 'unresolved'
  | 'unresolved_count'
  | 'losses'
> & { readonly [field: string]: unknown }

/** Counts; zero and unknown values are omitted, except the first two. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, number | undefined])[] }) {
  const shown = facts.filter(([, count], index) => count !== undefined && (index < 2 || count > 0))
  return (
    <SimpleGrid component="dl" cols={{ base: 2, xs: 3, md: Math.max(3, shown.length) }} spacing="xs" m={0}>
      {shown.map(([label, count]) => (
        <div key={label} className="fact">
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} fw={650} size="lg">
            {number.format(count ?? 0)}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}

/** Why a sync writes nothing, or not everything. */
export function Notes({ found: { error, overflow_count: overflow, warnings = [] } }: { readonly found: Found }) {
  return (
    <>
      {error === undefined ? null : (
        <Alert color="orange" role="alert" icon={<IconAlertTriangle aria-hidden />}>
          {errorOf(error, overflow)}
        </Alert>
      )}
      {warnings
        .filter((code) => !HELD.includes(code) && code !== error)
        .map((code) => (
          <Text key={code} size="sm" c="dimmed">
            {warningOf(code)}
          </Text>
        ))}
    </>
  )
}

export function Held({
  mapping,
  found,
  onApprove,
}: {
  readonly mapping: Mapping
  readonly found: Found
  readonly onApprove: Approve
}) {
  const client = useQueryClient()
  const { account } = useNames()
  const { blocked_removals: held = 0, warnings = [], losses = [] } = found
  const why = warnings.filter((code) => HELD.includes(code))
  if (held === 0 && !why.includes('confirmation_required')) return null
  const n = Math.max(held, 1)
  const isLossy = losses.length > 0 || why.includes('confirmation_required')

  async function ask() {
    const { held: words } = texts
    const target = mapping.target === null ? '' : account(mapping.target.provider, mapping.target.instance)
    const items = (found.blocked_items ?? []).flatMap(({ title }) => title ?? [])
    const isSure = await confirm({
      title: words.confirmTitle,
      text: (
        <Stack gap="xs">
          <Text>{say(words.confirmText, { n, target })}</Text>
          {losses.length === 0 ? null : <Text>{say(words.lossText, { losses: listed.format(losses) })}</Text>}
        </Stack>
      ),
      action: say(words.confirmAction, { n }),
      touches: items.slice(0, SHOWN),
      touchesTotal: n,
    })
    if (!isSure) return
    if (!isLossy) return onApprove({ allow_mass_delete: true })
    // Only a run of the mapping itself can confirm the loss of other data.
    try {
      await api('POST /api/playlists/mappings/{mapping_id}/run', {
        params: { mapping_id: mapping.id },
        body: { confirm_mass_delete: true, confirm_destructive: true },
      })
    } catch (error) {
      notifyFailure(error)
    }
    await client.invalidateQueries({ queryKey: KEY })
  }

  return (
    <Alert color="orange" icon={<IconHandStop aria-hidden />} title={say(texts.held.title, { n })}>
      {why.map((code) => (
        <Text key={code} size="sm">
          {warningOf(code)}
        </Text>
      ))}
      <Button size="xs" mt="sm" variant="default" onClick={() => void ask()}>
        {texts.held.approve}
      </Button>
    </Alert>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'title',
    header: texts.unmatched.columns.title,
    width: '2fr',
    isTitle: true,
    cell: ({ title, year }) => {
      const text = `${title ?? texts.unmatched.untitled}${year === null ? '' : ` (${year})`}`
      return (
        <Text size="sm" truncate title={text} dir="auto">
          {text}
        </Text>
      )
    },
  },
  {
    id: 'why',
    header: texts.unmatched.columns.why,
    width: '2fr',
    cell: ({ reason, note }) => {
      const text = [reasonOf(reason), ...(note === undefined ? [] : [note])].join(' · ')
      return (
        <Text size="sm" truncate title={text}>
          {text}
        </Text>
      )
    },
  },
]

export function Unmatched({ found: { unresolved = [], unresolved_count: total = 0 } }: { readonly found: Found }) {
  if (total === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={texts.unmatched.title}>
      <div>
        <Title order={3} size="h5">
          {texts.unmatched.title}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.unmatched.text}
        </Text>
      </div>
      <DataTable
        label={texts.unmatched.label}
        columns={COLUMNS}
        rows={unresolved}
        rowKey={({ endpoint_id: id, op, key }) => `${id} ${op} ${key}`}
        height={360}
      />
      {total > unresolved.length ? (
        <Text size="sm" c="dimmed">
          {say(texts.unmatched.more, { n: total - unresolved.length })}
        </Text>
      ) : null}
    </Stack>
  )
}

export function LastResult({
  mapping,
  isHidden,
  onApprove,
}: {
  readonly mapping: Mapping
  readonly isHidden: boolean
  readonly onApprove: Approve
}) {
  const { last_result: last } = mapping
  const { facts } = texts
  if (isHidden) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.result.title} miw={0}>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {texts.result.title}
            </Title>
            <StatusBadge {...statusOf(mapping)} />
            {last === null ? null : (
              <Text size="sm" c="dimmed" component="div">
                <TimeText at={(last.finished_at ?? 0) * 1_000} />
              </Text>
            )}
          </Group>
          {last?.run_id !== undefined && last.added + last.removed + last.reordered > 0 ? (
            <UndoButton runId={last.run_id} />
          ) : null}
        </Group>
        {last === null ? (
          <Text c="dimmed">{texts.result.none}</Text>
        ) : (
          <>
            <Facts
              facts={[
                [facts.source, last.source_count],
                [facts.managed, last.managed_count],
                [facts.added, last.added],
                [facts.removed, last.removed],
                [facts.moved, last.reordered],
                [facts.already, last.already],
                [facts.held, last.blocked_removals],
                [facts.unmatched, last.unresolved_count],
              ]}
            />
            <Notes found={last} />
            <Held mapping={mapping} found={last} onApprove={onApprove} />
            <Unmatched found={last} />
          </>
        )}
      </Stack>
    </Paper>
  )
}
