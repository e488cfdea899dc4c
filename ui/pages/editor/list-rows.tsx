// The items of a list, read from its service: order, adds and removals.
import { ActionIcon, Alert, Button, Group, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlaylist } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { foldText, searchWords } from '../../../sdk/items/text.ts'
import { useRead } from '../../api/query.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { editor as texts } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import { ChangeBar } from './change-bar.tsx'
import { Review } from './review.tsx'
import { RowDialog } from './row-dialog.tsx'
import { nameOf, RowTable } from './row-table.tsx'
import { saveList } from './save.ts'
import { type ListData, listRowsOf, type Row } from './state.ts'
import { useChanges } from './use-changes.ts'

const NO_BLOCKS: ReadonlySet<string> = new Set()

export function ListRows({ id, name }: { readonly id: string; readonly name: string }) {
  const query = useRead(
    ['editor', 'list', id],
    'GET /api/editor/playlists/{endpoint_id}',
    { params: { endpoint_id: id } },
    // A refetch would ask the service, so the rows stay until they are saved.
    { staleTime: Number.POSITIVE_INFINITY },
  )
  return (
    <QueryView query={query} rows={8}>
      {(data) => <Rows key={data.checkpoint} id={id} name={name} data={data} />}
    </QueryView>
  )
}

function Rows({ id, name, data }: { readonly id: string; readonly name: string; readonly data: ListData }) {
  const changes = useChanges()
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<Row | 'new' | null>(null)
  const [isReviewed, setReviewed] = useState(false)
  const loaded = useMemo(() => listRowsOf(data), [data])
  const canMove = data.resource['can_reorder'] === true
  const isWritable = data.resource['writable'] === true
  const keys = changes.order ?? loaded.map(({ key }) => key)
  const byKey = useMemo(() => new Map(loaded.map((row) => [row.key, row])), [loaded])
  const words = searchWords(search)
  const rows = keys
    .flatMap((key) => byKey.get(key) ?? [])
    .filter(({ item }) => words.every((word) => foldText(nameOf(item)).includes(word)))
  const { move } = changes
  const extra: Column<Row> | undefined =
    canMove && search === ''
      ? {
          id: 'move',
          isControl: true,
          header: '',
          width: '5rem',
          cell: ({ key, item }) => {
            const place = keys.indexOf(key)
            if (place < 0) return null
            const to = (step: number) => {
              const next = keys.filter((one) => one !== key)
              next.splice(place + step, 0, key)
              move(next)
            }
            const title = nameOf(item)
            return (
              <Group gap="3xs" wrap="nowrap">
                <ActionIcon
                  variant="subtle"
                  size="sm"
                  aria-label={say(texts.row.up, { title })}
                  disabled={place === 0}
                  onClick={() => to(-1)}
                >
                  <IconArrowUp size={14} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  size="sm"
                  aria-label={say(texts.row.down, { title })}
                  disabled={place === keys.length - 1}
                  onClick={() => to(1)}
                >
                  <IconArrowDown size={14} />
                </ActionIcon>
              </Group>
            )
          },
        }
      : undefined
  return (
    <Stack gap="sm">
      {isWritable ? null : <Alert color="gray">{texts.about.readOnly}</Alert>}
      <RowTable
        kind="playlist"
        rows={rows}
        changes={changes.all}
        blocks={NO_BLOCKS}
        total={rows.length}
        search={search}
        onSearch={setSearch}
        onAdd={() => setOpen('new')}
        onOpen={setOpen}
        onRemove={isWritable ? (chosen) => changes.removeAll(chosen, 'remove') : null}
        removeLabel={texts.removeSelected}
        extra={extra}
        status={
          <>
            {say(search === '' ? texts.rows : texts.found, { n: rows.length })} · <TimeText at={data.ts * 1_000} />
          </>
        }
        empty={
          <EmptyState
            icon={IconPlaylist}
            title={search === '' ? texts.none.title : texts.none.noMatch}
            text={search === '' ? say(texts.about.list, { service: name }) : texts.none.noMatchText}
            action={
              search === '' ? (
                <Button onClick={() => setOpen('new')}>{texts.add}</Button>
              ) : (
                <Button variant="default" onClick={() => setSearch('')}>
                  {texts.none.clear}
                </Button>
              )
            }
          />
        }
      />
      <ChangeBar changes={changes} onReview={() => setReviewed(true)} />
      {open === null ? null : (
        <RowDialog
          row={open === 'new' ? null : open}
          kind="playlist"
          changes={changes}
          canRemove={isWritable ? 'remove' : null}
          onClose={() => setOpen(null)}
        />
      )}
      {isReviewed ? (
        <Review
          changes={changes}
          save={saveList(id, data, loaded)}
          text={texts.plan.text}
          onClose={() => setReviewed(false)}
        />
      ) : null}
    </Stack>
  )
}
