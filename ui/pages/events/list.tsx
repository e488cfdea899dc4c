// The event list in the selected view.
import { SegmentedControl } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { usePhone } from '../../parts/page/use-phone.ts'
import { events } from '../../texts/en/events.ts'
import { shell } from '../../texts/en/shell.ts'
import { EventsView, GroupsView } from './flat-views.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useFilters, type View } from './filters.ts'
import { TreeView } from './tree-view.tsx'

const ChartsView = lazyPart(() => import('./charts-view.tsx'))
const VIEWS = (Object.keys(events.views) as View[]).map((value) => ({ value, label: events.views[value] }))

export function EventList() {
  const [filters, change] = useFilters()
  const { view } = filters
  const isPhone = usePhone()
  return (
    <Page
      title={shell.pages.events}
      text={events.intro}
      isFilled={view !== 'charts'}
      actions={
        <SegmentedControl
          aria-label={events.viewsLabel}
          value={view}
          onChange={(value) => change({ view: value as View })}
          data={VIEWS}
          size={isPhone ? 'xs' : 'sm'}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
      }
    >
      {view === 'charts' ? (
        <Suspense fallback={<Loading rows={6} />}>
          <ChartsView />
        </Suspense>
      ) : (
        <FilterBar filters={filters} onChange={change} />
      )}
      {view === 'groups' ? <GroupsView filters={filters} onChange={change} /> : null}
      {view === 'events' ? <EventsView filters={filters} onChange={change} /> : null}
      {view === 'tree' ? <TreeView filters={filters} onChange={change} /> : null}
    </Page>
  )
}
