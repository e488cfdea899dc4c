// The last syncs and reads of lists.
import { Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { activityStatus, errorOf, type Overview } from './state.ts'

const { history: texts } = playlists
type Row = Overview['activity'][number]

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
    cell: (row) => <StatusBadge {...activityStatus(row)} />,
  },
  {
    id: 'added',
    isBare: true,
    header: texts.columns.added,
    width: '5rem',
    cell: ({ added }) => <Text size="sm">{added}</Text>,
  },
  {
    id: 'removed',
    isBare: true,
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
