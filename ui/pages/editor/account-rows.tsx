// The rows of an account, paged from the service, with the unsaved changes.
import { Button, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFilterOff, IconListDetails } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import type { Sort } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { editor as texts } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import { Blocks } from './blocks.tsx'
import { ChangeBar } from './change-bar.tsx'
import { Review } from './review.tsx'
import { RowDialog } from './row-dialog.tsx'
import { RowTable } from './row-table.tsx'
import { savePolicy, saveTracker } from './save.ts'
import { type Place, type Row, rowsOf } from './state.ts'
import { useChanges } from './use-changes.ts'

const PAGE = 200
const TYPING_MS = 250
const keyOf = ({ key }: Row) => key
type Account = Extract<Place, { readonly type: 'account' }>

interface AccountRowsProps {
  readonly place: Account
  readonly isTracker: boolean
  readonly name: string
}

export function AccountRows({ place, isTracker, name }: AccountRowsProps) {
  const { provider, instance, kind } = place
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), TYPING_MS)
  const [sort, setSort] = useState<Sort | null>(null)
  const changes = useChanges()
  const [open, setOpen] = useState<Row | 'new' | null>(null)
  const [isReviewed, setReviewed] = useState(false)
  const query = {
    ...{ kind, provider, provider_instance: instance, source: isTracker ? 'tracker' : 'state', limit: PAGE },
    ...(q === '' ? {} : { q }),
    ...(sort === null
      ? {}
      : { sort: sort.column as 'title' | 'time', order: sort.descending ? ('desc' as const) : ('asc' as const) }),
  }
  const list = useEndless({
    key: ['editor', 'rows', query],
    size: PAGE,
    read: ({ offset }, signal) => api('GET /api/editor', { query: { ...query, offset }, signal }),
    rowsOf,
    idOf: keyOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const { first, rows } = list
  const blocks = useMemo(() => new Set(first?.manual_blocks ?? []), [first])
  // Rows with unsaved changes may be refetched; the save is still refused if they changed elsewhere.
  const [base, setBase] = useState(first)
  if (changes.size === 0 && base !== first) setBase(first)
  const save = isTracker ? saveTracker(place, base) : savePolicy(place, base)
  return (
    <Stack gap="sm">
      {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
      {first === undefined || rows === undefined ? (
        list.error === null ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <RowTable
          kind={kind}
          rows={rows}
          changes={changes.all}
          blocks={blocks}
          total={first.total}
          search={search}
          onSearch={setSearch}
          onAdd={() => setOpen('new')}
          onOpen={setOpen}
          onRemove={(chosen) => changes.removeAll(chosen, isTracker ? 'remove' : 'block')}
          removeLabel={isTracker ? texts.removeSelected : texts.blockSelected}
          sort={sort}
          onSort={setSort}
          endless={list.list}
          status={
            <>
              {say(q === '' ? texts.rows : texts.found, { n: first.total })}
              {first.ts === null ? null : (
                <>
                  {' · '}
                  <TimeText at={first.ts * 1_000} />
                </>
              )}
            </>
          }
          empty={
            q === '' ? (
              <EmptyState
                icon={IconListDetails}
                title={texts.none.title}
                text={texts.none.text}
                action={<Button onClick={() => setOpen('new')}>{texts.add}</Button>}
              />
            ) : (
              <EmptyState
                icon={IconFilterOff}
                title={texts.none.noMatch}
                text={texts.none.noMatchText}
                action={
                  <Button variant="default" onClick={() => setSearch('')}>
                    {texts.none.clear}
                  </Button>
                }
              />
            )
          }
        />
      )}
      {first === undefined || isTracker || first.manual_blocks.length === 0 ? null : (
        <Blocks place={place} data={first} />
      )}
      <ChangeBar changes={changes} onReview={() => setReviewed(true)} />
      {open === null ? null : (
        <RowDialog
          row={open === 'new' ? null : open}
          kind={kind}
          changes={changes}
          canRemove={isTracker ? 'remove' : 'block'}
          onClose={() => setOpen(null)}
        />
      )}
      {isReviewed ? (
        <Review
          changes={changes}
          save={save}
          text={isTracker ? texts.plan.text : say(texts.plan.policyText, { service: name })}
          onClose={() => setReviewed(false)}
        />
      ) : null}
    </Stack>
  )
}
