// The last syncs and reads of lists.
import { Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { errorOf, type Overview } from './state.ts'

const { history: texts } = playlists
type Row = Overview['activity'][number]

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', partial: 'warn', error: 'bad', refreshed: 'idle' }

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'what',
    header: texts.columns.what,
    width: '2fr',
    isTitle: true,
    cell: ({ label }) => (
      <Text size="sm" truncate title={label} dir="auto">
        {label}
      </Text>
    ),
  },
  {
    id: 'result',
    header: texts.columns.result,
    width: '9rem',
    cell: ({ type, status }) => (
      <StatusBadge
        tone={TONES[status] ?? 'idle'}
        label={
          type === 'Run' || status === 'error'
            ? ((texts.results as Readonly<Record<string, string>>)[status] ?? status)
            : texts.results.refreshed
        }
      />
    ),
  },
  { id: 'added', header: texts.columns.added, width: '5rem', cell: ({ added }) => <Text size="sm">{added}</Text> },
  {
    id: 'removed',
    header: texts.columns.removed,
    width: '5.5rem',
    cell: ({ removed }) => <Text size="sm">{removed}</Text>,
  },
  {
    id: 'text',
    header: texts.columns.text,
    width: '2fr',
    cell: ({ status, details }) => {
      const text = status === 'error' ? errorOf(details) : ''
      return (
        <Text size="sm" c="dimmed" truncate title={text}>
          {text}
        </Text>
      )
    },
  },
  { id: 'when', header: texts.columns.when, width: '8rem', cell: ({ ts }) => <TimeText at={ts * 1_000} /> },
]

export function Activity({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0) return <EmptyState icon={IconHistory} title={texts.none} text={texts.noneText} />
  return <DataTable label={texts.label} columns={COLUMNS} rows={rows} rowKey={keyOf} />
}

function keyOf({ ts, type, label, mapping_id: mapping, endpoint_id: endpoint }: Row): string {
  return `${ts} ${type} ${mapping ?? endpoint ?? label}`
}
