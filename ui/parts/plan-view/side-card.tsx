// The counts of one side of a plan; each count filters the items.
import { Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconClockPause, IconHandStop, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import { countOf, type Kind, type Plan, type Side } from './kinds.ts'
import { ServiceMark } from '../values/service-mark.tsx'

const ROWS = [
  { kind: 'add', icon: IconPlus, color: 'green.8' },
  { kind: 'update', icon: IconPencil, color: 'blue.8' },
  { kind: 'remove', icon: IconTrash, color: 'red.8' },
  { kind: 'held', icon: IconHandStop, color: 'orange.9' },
  { kind: 'left', icon: IconClockPause, color: 'gray.7' },
] as const

interface SideCardProps {
  readonly plan: Plan
  readonly side: Side
  readonly name: string
  readonly onShow: (kind: Kind) => void
}

export function SideCard({ plan, side, name, onShow }: SideCardProps) {
  const rows = ROWS.map((row) => ({ ...row, n: countOf(plan, row.kind, side) })).filter(({ n }) => n > 0)
  const forms = { ...texts.side.ops, held: texts.side.held, left: texts.side.left }
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Group gap="xs" wrap="nowrap">
          <ServiceMark provider={plan.sides[side].provider} />
          {/* Not known at once. */}
          <Text fw={600}>{name === '' ? '\u00a0' : name}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {say(texts.side.read, { n: plan.read[side] })}
        </Text>
      </Group>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm">
          {texts.side.noChanges}
        </Text>
      ) : (
        <Stack gap="2xs">
          {rows.map(({ kind, icon: Icon, color, n }) => {
            const what = say(forms[kind], { n })
            return (
              <UnstyledButton
                key={kind}
                onClick={() => onShow(kind)}
                py="3xs"
                aria-label={say(texts.side.show, { what, side: name })}
              >
                <Group gap="xs" wrap="nowrap">
                  <Text span c={color} lh={1}>
                    <Icon size={18} aria-hidden />
                  </Text>
                  <Text size="sm">{what}</Text>
                </Group>
              </UnstyledButton>
            )
          })}
        </Stack>
      )}
    </Paper>
  )
}
