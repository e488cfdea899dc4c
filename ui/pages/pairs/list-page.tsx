// All pairs in the order they run.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconLink, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { ReorderList } from '../../parts/lists/reorder-list.tsx'
import { useNamed } from '../../parts/values/names.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { recipes } from '../../texts/en/recipes.ts'
import { PairCard } from './pair-card.tsx'

export function PairListPage() {
  const query = useNamed(useRead(['pairs', 'status'], 'GET /api/pairs/status'))

  const actions = (
    <>
      <Button component={Link} href="/recipes" variant="default">
        {recipes.open}
      </Button>
      {query.data?.pairs.length === 0 ? null : (
        <Button
          component={Link}
          href="/pairs/new"
          leftSection={<IconPlus size={16} aria-hidden />}
          style={query.data === undefined ? { visibility: 'hidden' } : undefined}
        >
          {texts.add}
        </Button>
      )}
    </>
  )
  return (
    <Page title={texts.title} text={texts.intro} actions={actions}>
      <QueryView
        query={query}
        isEmpty={({ pairs }) => pairs.length === 0}
        empty={<EmptyState icon={IconLink} title={texts.none} text={texts.noneText} action={<NextStep />} />}
      >
        {({ pairs }) => <Ordered pairs={pairs} />}
      </QueryView>
    </Page>
  )
}

function Ordered({ pairs }: { readonly pairs: readonly PairStatus[] }) {
  const client = useQueryClient()

  async function reorder(next: readonly PairStatus[]) {
    client.setQueryData(['pairs', 'status'], { ok: true, pairs: next })
    try {
      await api('POST /api/pairs/reorder', { body: { order: next.map(({ id }) => id) } })
      notifyDone(texts.reordered)
    } catch (error) {
      notifyFailure(error)
    }
    await client.invalidateQueries({ queryKey: ['pairs'] })
  }

  return (
    <ReorderList
      label={texts.listLabel}
      items={pairs}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      onReorder={(next) => void reorder(next)}
    >
      {(pair, handle) => <PairCard pair={pair} handle={handle} />}
    </ReorderList>
  )
}
