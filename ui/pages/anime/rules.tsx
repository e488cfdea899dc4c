// The user's rules; contradicting rules are marked.
import { ActionIcon, Badge, Button, Group, Paper, Stack, Switch, Text, Title, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useChange } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { anime } from '../../texts/en/anime.ts'
import { say } from '../../texts/say.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { conflictsOf, type Draft, FRESH, KEY, meaningOf, nameOf, type Rule } from './state.ts'

const { rules: texts } = anime
const SHOWN = 100

export function Rules({ rules }: { readonly rules: readonly Rule[] }) {
  const [open, setOpen] = useState<Draft | null>(null)
  const [limit, setLimit] = useState(SHOWN)
  const conflicts = conflictsOf(rules)
  const save = useChange('POST /api/anime-mapping/settings', { refresh: [KEY] })
  const onError = (error: unknown) => notifyFailure(error)
  const put = (next: readonly Rule[], done?: () => void) =>
    save.mutate({ body: { overrides: [...next] } }, { onError, onSuccess: done })

  async function remove(rule: Rule) {
    const { removeTitle: title, removeText: text, removeAction: action } = texts
    if (await confirm({ title, text, action, touches: [meaningOf(rule)], touchesTotal: 1 }))
      put(
        rules.filter(({ id }) => id !== rule.id),
        () => notifyDone(texts.removed),
      )
  }

  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group justify="space-between">
        <div className="grow-field">
          <Title order={2} size="h4">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {rules.length === 0 ? texts.none : texts.text}
          </Text>
        </div>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(FRESH)}>
          {texts.add}
        </Button>
      </Group>
      {rules.length === 0 ? null : (
        <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
          {rules.slice(0, limit).map((rule) => (
            <Group component="li" key={rule.id} className="line" py="xs" justify="space-between" wrap="nowrap">
              <div className="grow">
                <Group gap="xs" wrap="nowrap">
                  <Text fw={600} size="sm" truncate title={nameOf(rule)} dir="auto">
                    {nameOf(rule)}
                  </Text>
                  {conflicts.has(rule.id) ? (
                    <Tooltip label={texts.conflictText} multiline maw={280}>
                      <Badge variant="light" color="orange" style={{ flexShrink: 0 }}>
                        {texts.conflict}
                      </Badge>
                    </Tooltip>
                  ) : null}
                </Group>
                <Text size="sm" lineClamp={2}>
                  {meaningOf(rule)}
                </Text>
                {rule.note === '' ? null : (
                  <Text size="xs" c="dimmed" lineClamp={1} dir="auto">
                    {rule.note}
                  </Text>
                )}
              </div>
              <Group gap="2xs" wrap="nowrap">
                <Switch
                  aria-label={say(texts.toggle, { name: nameOf(rule) })}
                  checked={rule.enabled}
                  disabled={save.isPending}
                  onChange={(event) => {
                    const enabled = event.currentTarget.checked
                    put(rules.map((one) => (one.id === rule.id ? { ...one, enabled } : one)))
                  }}
                />
                <ActionIcon
                  variant="subtle"
                  aria-label={say(texts.edit, { name: nameOf(rule) })}
                  onClick={() => setOpen(rule)}
                >
                  <IconPencil size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={say(texts.remove, { name: nameOf(rule) })}
                  onClick={() => void remove(rule)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            </Group>
          ))}
        </Paper>
      )}
      {rules.length > limit ? (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setLimit(limit + SHOWN * 5)}>
            {say(texts.more, { n: rules.length - limit })}
          </Button>
        </Group>
      ) : null}
      {open === null ? null : <RuleDialog rule={open} onClose={() => setOpen(null)} />}
    </Stack>
  )
}
