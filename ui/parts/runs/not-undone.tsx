// Changes that an undo skipped, with reasons.
import { Alert, List, Text } from '@mantine/core'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

const { undo } = runs

interface NotUndone {
  readonly not_undone: readonly { readonly reason: string; readonly reason_label: string; readonly count: number }[]
  /** The part that another undo may still revert. */
  readonly left_to_undo: number
}

export function notUndoneLines({ not_undone: reasons }: Pick<NotUndone, 'not_undone'>): readonly string[] {
  const known: Readonly<Record<string, string>> = undo.reasons
  return reasons.map(({ reason, reason_label: label, count: n }) =>
    say(undo.not, { n, reason: known[reason] ?? serviceText(label) ?? label }),
  )
}

export function NotUndoneAlert({ of, title = undo.partly }: { readonly of: NotUndone; readonly title?: string }) {
  return (
    <Alert color="orange" role="status" title={title}>
      <List size="sm">
        {notUndoneLines(of).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {of.left_to_undo === 0 ? null : (
        <Text size="sm" mt="xs">
          {say(undo.again, { n: of.left_to_undo })}
        </Text>
      )}
    </Alert>
  )
}
