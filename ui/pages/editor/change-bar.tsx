// The number of unsaved changes; stays visible.
import { Button, Group, Paper, Text } from '@mantine/core'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { editor } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import type { ChangeSet } from './use-changes.ts'

const { changes: texts } = editor

export function ChangeBar({ changes, onReview }: { readonly changes: ChangeSet; readonly onReview: () => void }) {
  if (changes.size === 0) return null
  async function discard() {
    const { discardTitle: title, discardText: text, discard: action } = texts
    if (await confirm({ title, text, action })) changes.clear()
  }
  return (
    <Paper withBorder shadow="md" p="sm" className="change-bar" role="region" aria-label={editor.plan.label}>
      <Group justify="space-between" gap="xs">
        <Text fw={600} size="sm" role="status">
          {say(texts.count, { n: changes.size })}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => void discard()}>
            {texts.discard}
          </Button>
          <Button size="xs" onClick={onReview}>
            {texts.review}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
