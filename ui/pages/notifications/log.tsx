// Sent, waiting and failed messages.
import { Button, Group, Modal, Select, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { IconMailbox } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useChange } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { notifications } from '../../texts/en/notifications.ts'
import { say } from '../../texts/say.ts'
import { type Entry, KEY, reasonText, type State, type Target } from './state.ts'

const { log: texts } = notifications
const PAGE_SIZE = 50
const POLL_MS = 5_000
const idOf = ({ id }: Entry) => id
const TONES: Readonly<Record<State, Tone>> = { queued: 'idle', sending: 'busy', sent: 'good', failed: 'bad' }

interface Filters {
  readonly state: State | null
  readonly target: string | null
}

const NO_FILTERS: Filters = { state: null, target: null }
const KNOWN = { state: Object.keys(texts.states) }

interface LogProps {
  readonly targets: readonly Target[]
  /** Renders nothing while the log is empty. */
  readonly isHidden: boolean
}

export function Log({ targets, isHidden }: LogProps) {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const { state, target } = filters
  const [open, setOpen] = useState<Entry | null>(null)
  const filter = { state: state ?? undefined, target: target ?? undefined }
  const query = useEndless({
    key: [...KEY, 'log', filter],
    size: PAGE_SIZE,
    read: ({ offset }, signal) =>
      api('GET /api/notifications/log', { query: { ...filter, offset, limit: PAGE_SIZE }, signal }),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
    refetchInterval: POLL_MS,
  })
  const { rows = [] } = query
  const { mutate } = useChange('POST /api/notifications/log/{id}/retry', {
    refresh: [KEY],
    onDone: () => notifyDone(texts.retried),
  })
  const columns = useMemo(
    () =>
      columnsFor(setOpen, ({ id }) =>
        mutate({ params: { id } }, { onError: (error: unknown) => notifyFailure(error) }),
      ),
    [mutate],
  )
  const isFiltered = state !== null || target !== null

  if (isHidden && rows.length === 0 && !isFiltered && query.error === null) return null
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <div>
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.text}
        </Text>
      </div>
      {rows.length === 0 && !isFiltered ? null : (
        <FilterPanel set={[state, target].filter((one) => one !== null).length} onClear={() => setFilters(NO_FILTERS)}>
          <Select
            label={texts.state}
            placeholder={texts.all}
            clearable
            style={FIELD}
            data={Object.entries(texts.states).map(([value, label]) => ({ value, label }))}
            value={state}
            onChange={(next) => setFilters({ ...filters, state: next as State | null })}
          />
          <Select
            label={texts.target}
            placeholder={texts.all}
            clearable
            style={FIELD}
            data={targets.map(({ id, name }) => ({ value: id, label: name }))}
            value={target}
            onChange={(next) => setFilters({ ...filters, target: next })}
          />
        </FilterPanel>
      )}
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      {query.first === undefined ? (
        query.error === null ? (
          <Loading rows={3} />
        ) : null
      ) : rows.length > 0 ? (
        <DataTable
          label={texts.label}
          columns={columns}
          rows={rows}
          rowKey={idOf}
          total={query.total}
          height="60vh"
          onOpen={setOpen}
          endless={query.list}
        />
      ) : isFiltered ? (
        <Text c="dimmed">{texts.noMatch}</Text>
      ) : (
        <EmptyState icon={IconMailbox} title={texts.none} text={texts.noneText} />
      )}
      {open === null ? null : <EntryDialog entry={open} onClose={() => setOpen(null)} />}
    </Stack>
  )
}

function columnsFor(onOpen: (entry: Entry) => void, onRetry: (entry: Entry) => void): readonly Column<Entry>[] {
  const { columns } = texts
  return [
    {
      id: 'message',
      header: columns.message,
      width: '2fr',
      isTitle: true,
      cell: (entry) => (
        <UnstyledButton
          fz="sm"
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
          aria-label={say(texts.open, { title: titleOf(entry) })}
          onClick={() => onOpen(entry)}
        >
          {titleOf(entry)}
        </UnstyledButton>
      ),
    },
    { id: 'target', header: columns.target, cell: ({ target_name: name }) => name },
    { id: 'state', header: columns.state, width: '1.4fr', cell: (entry) => <StateOf entry={entry} /> },
    { id: 'at', header: columns.at, width: '8rem', cell: ({ created_at: at }) => <TimeText at={at} /> },
    {
      id: 'action',
      isControl: true,
      header: columns.action,
      width: '8rem',
      cell: (entry) =>
        entry.state === 'failed' ? (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={say(texts.retryOf, { title: titleOf(entry) })}
            onClick={() => onRetry(entry)}
          >
            {texts.retry}
          </Button>
        ) : null,
    },
  ]
}

function StateOf({ entry: { state, reason } }: { readonly entry: Entry }) {
  return (
    <>
      <StatusBadge tone={TONES[state]} label={texts.states[state]} />
      {reason === null || state === 'sent' ? null : (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {reasonText(reason)}
        </Text>
      )}
    </>
  )
}

function EntryDialog({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  const { target_name: target, rule_name: rule, messages, count, attempts } = entry
  return (
    <Modal opened onClose={onClose} title={titleOf(entry)} size="lg">
      <Stack>
        <Group gap="xs">
          <StateOf entry={entry} />
          <Text size="sm">{[target, ...(rule === null ? [] : [say(texts.byRule, { name: rule })])].join(' · ')}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {say(texts.attempts, { n: attempts })}
          {entry.may_be_repeat ? ` · ${texts.repeat}` : ''}
          {' · '}
          {entry.ended_at === null ? texts.due : texts.ended}{' '}
          <TimeText at={entry.ended_at ?? entry.due_at} isAhead={entry.ended_at === null} />
        </Text>
        {messages.map(({ title, text, at }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of an entry stay as they are
          <div key={index}>
            <Text fw={600}>{title}</Text>
            <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
            <Text size="sm" c="dimmed">
              <TimeText at={at} />
            </Text>
          </div>
        ))}
        {count > messages.length ? (
          <Text size="sm" c="dimmed">
            {say(texts.shown, { n: messages.length, total: count })}
          </Text>
        ) : null}
      </Stack>
    </Modal>
  )
}

function titleOf({ messages: [first], count, id }: Entry): string {
  const title = first?.title ?? id
  return count > 1 ? say(texts.more, { title, n: count - 1 }) : title
}
