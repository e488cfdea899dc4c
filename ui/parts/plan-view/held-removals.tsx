// Removals and updates that need approval: the reason, the titles, and the approval.
import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useRead } from '../../api/query.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import { confirm } from '../dialogs/confirm.ts'
import type { ActionsProps } from './actions.tsx'
import { countOf, removalNames, type Side } from './kinds.ts'
import { reasonText, type SideNameOf } from './text.ts'

interface HeldProps extends ActionsProps {
  readonly nameOf: SideNameOf
}

export function HeldRemovals({
  plan,
  side,
  nameOf,
  start,
  isBusy,
  onShow,
}: HeldProps & { readonly side: Side; readonly onShow: () => void }) {
  const held = countOf(plan, 'held', side)
  if (held === 0) return null
  const name = nameOf(side)
  const reason = plan.sides[side].held_reason
  const isUpdate = reason === 'mass_update'
  const { title: heading, text: note } = isUpdate ? texts.heldUpdates : texts.held
  const why =
    (texts.held.reasons as Readonly<Record<string, string>>)[reason ?? ''] ??
    reasonText({ reason, reason_label: reason })

  async function approve() {
    const { title, text, action } = isUpdate ? texts.confirmUpdates : texts.confirmApprove
    const touches = await removalNames(plan, { kind: 'held', side })
    const isAgreed = await confirm({
      title,
      text: say(text, { n: held, side: name }),
      action: say(action, { n: held }),
      touches,
      touchesTotal: held,
    })
    if (isAgreed) await start({ plan_id: plan.plan_id, allow_mass_delete: true })
  }

  return (
    <Alert color="orange" icon={<IconHandStop aria-hidden />} title={say(heading, { n: held, side: name })}>
      <Text size="sm">
        {why} {note}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onShow}>
          {texts.actions.see}
        </Button>
        <Button size="xs" color="red.9" disabled={isBusy} onClick={() => void approve()}>
          {say(isUpdate ? texts.heldUpdates.approve : texts.actions.approve, { n: held })}
        </Button>
      </Group>
    </Alert>
  )
}

const MAX_NAMES = 200

/** The first removals of a mirror need approval. */
export function MirrorRemovals({ plan, nameOf, start, isBusy }: HeldProps) {
  const isWaiting = plan.facets.causes.some(({ cause, state }) => cause === 'mirror' && state === 'filtered')
  const query = { cause: 'mirror', state: 'filtered', facets: false, limit: MAX_NAMES } as const
  const { data } = useRead(
    ['plans', plan.plan_id, 'mirror'],
    'GET /api/run/plan/{plan_id}',
    { params: { plan_id: plan.plan_id }, query },
    { enabled: isWaiting },
  )
  const entries = data?.items.filter(({ reason }) => reason === 'never_linked') ?? []
  const [first] = entries
  if (!isWaiting || first === undefined) return null
  const name = nameOf(first.side)
  const total = entries.length === data?.items.length ? data.total : entries.length

  async function allow() {
    const { title, text, action } = texts.confirmMirror
    const touches = [...new Set(entries.map(({ display_title: one }) => one))]
    if (await confirm({ title, text: say(text, { side: name }), action, touches, touchesTotal: total }))
      await start({ pair_id: plan.pair_id, features: [plan.feature], confirm_mirror: true })
  }

  return (
    <Alert color="orange" icon={<IconHandStop aria-hidden />} title={say(texts.mirror.title, { n: total, side: name })}>
      <Text size="sm">{texts.mirror.text}</Text>
      <Group mt="sm">
        <Button size="xs" color="red.9" disabled={isBusy} onClick={() => void allow()}>
          {say(texts.actions.mirror, { n: total })}
        </Button>
      </Group>
    </Alert>
  )
}
