// A plan: the changes on each side, removals that need approval, all items, and actions.
import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconChecks, IconFileUnknown } from '@tabler/icons-react'
import { useCallback } from 'react'
import { useRead } from '../../api/query.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { useAddressFilters } from '../lists/address-filters.ts'
import { EmptyState } from '../page/empty-state.tsx'
import { FollowRun } from '../runs/follow-run.tsx'
import { useFeatureNames, useSideNames } from '../values/names.ts'
import { QueryView } from '../page/query-view.tsx'
import { StatusBadge } from '../values/status-badge.tsx'
import { TimeText } from '../values/time-text.tsx'
import { PlanActions } from './actions.tsx'
import { PlanEntries } from './entries.tsx'
import { HeldRemovals, MirrorRemovals } from './held-removals.tsx'
import { countOf, KINDS, NO_FILTER, sidesOf, type Filter, type Plan, type Side } from './kinds.ts'
import { SideCard } from './side-card.tsx'
import { useStartRun } from './start-run.ts'

export interface PlanViewProps {
  readonly planId: string
  /** Called when a run was started from the plan. */
  readonly onRun?: () => void
  /** false hides the actions. */
  readonly withActions?: boolean
}

const KNOWN = { kind: KINDS, side: ['a', 'b'] }
const TONES = { planned: 'idle', waiting: 'idle', applying: 'busy', done: 'good' } as const

export function PlanView({ planId, onRun, withActions = true }: PlanViewProps) {
  const query = useRead(['plans', planId], 'GET /api/run/plan/{plan_id}', {
    params: { plan_id: planId },
    query: { limit: 0 },
  })
  const absent = { icon: IconFileUnknown, title: texts.gone, text: texts.missing, to: texts.allPairs, href: '/pairs' }
  return (
    <QueryView query={query} rows={6} absent={absent}>
      {(plan) => <Body key={planId} plan={plan} withActions={withActions} onRun={onRun} />}
    </QueryView>
  )
}

function Body({
  plan,
  onRun,
  withActions,
}: {
  readonly plan: Plan
  readonly onRun?: () => void
  readonly withActions: boolean
}) {
  const [filter, setFilter] = useAddressFilters<Filter>(NO_FILTER, KNOWN)
  const sideName = useSideNames()
  const featureName = useFeatureNames()
  const { start, runId, isStarting } = useStartRun(onRun)
  const nameOf = useCallback(
    (side: Side) => sideName(plan.sides[side].provider, plan.sides[side].instance),
    [sideName, plan],
  )
  const shared = { plan, nameOf, start, isBusy: isStarting }

  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          {/* Without actions it is part of a card that has the name. */}
          {withActions ? <Text fw={600}>{featureName(plan.feature)}</Text> : null}
          <StatusBadge tone={TONES[plan.state]} label={texts.states[plan.state]} />
          <Text size="sm" c="dimmed">
            <TimeText at={plan.created_at} />
          </Text>
        </Group>
        {withActions ? <PlanActions {...shared} /> : null}
      </Group>
      <FollowRun runId={runId} />
      {runId !== null || !withActions ? null : (
        <>
          {sidesOf(plan).map((side) => (
            <HeldRemovals
              key={side}
              side={side}
              {...shared}
              onShow={() => setFilter({ ...NO_FILTER, kind: 'held', side })}
            />
          ))}
          <MirrorRemovals {...shared} />
        </>
      )}
      <SimpleGrid cols={{ base: 1, sm: sidesOf(plan).length }}>
        {sidesOf(plan).map((side) => (
          <SideCard
            key={side}
            plan={plan}
            side={side}
            name={nameOf(side)}
            onShow={(kind) => setFilter({ ...NO_FILTER, kind, side })}
          />
        ))}
      </SimpleGrid>
      {countOf(plan, 'all') === 0 ? (
        <EmptyState
          icon={IconChecks}
          title={sidesOf(plan).length === 1 ? texts.empty.titleOne : texts.empty.title}
          text={texts.empty.text}
        />
      ) : (
        <PlanEntries plan={plan} nameOf={nameOf} filter={filter} onFilter={setFilter} />
      )}
    </Stack>
  )
}
