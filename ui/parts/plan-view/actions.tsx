// The actions of a plan: run this plan, or run the pair.
import { Button, Group, Tooltip } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import { confirm } from '../dialogs/confirm.ts'
import { countOf, type Plan, removalNames } from './kinds.ts'
import type { RunOrder } from './start-run.ts'

export interface ActionsProps {
  readonly plan: Plan
  readonly start: (order: RunOrder) => Promise<void>
  readonly isBusy: boolean
}

export function PlanActions({ plan, start, isBusy }: ActionsProps) {
  const removals = countOf(plan, 'remove')
  const hasWork = (['add', 'update', 'remove'] as const).some((kind) => countOf(plan, kind) > 0)

  async function runExactly() {
    const { title, text, action } = texts.confirmExact
    if (
      removals > 0 &&
      !(await confirm({
        title,
        text: say(text, { n: removals }),
        action,
        touches: await removalNames(plan, {}),
        touchesTotal: removals,
      }))
    )
      return
    await start({ plan_id: plan.plan_id })
  }

  return (
    <Group gap="xs">
      {plan.pair_id === '' ? null : (
        <Tooltip label={texts.actions.allHelp} multiline maw={280}>
          <Button variant="default" disabled={isBusy} onClick={() => void start({ pair_id: plan.pair_id })}>
            {texts.actions.all}
          </Button>
        </Tooltip>
      )}
      {plan.state !== 'planned' || !hasWork || cannotRun(plan) ? null : (
        <Tooltip label={texts.actions.exactHelp} multiline maw={280}>
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void runExactly()}
          >
            {texts.actions.exact}
          </Button>
        </Tooltip>
      )}
    </Group>
  )
}

/** Only the maker of the plan may apply it, or it is a preview. */
function cannotRun({ maker_only: isTheirs, pair_id: pairId, dry_run: isDry }: Plan): boolean {
  return isTheirs === true || (pairId === '' && isDry)
}
