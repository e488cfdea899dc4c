// The content of a confirmation dialog.
import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import type { ConfirmOptions } from './confirm-options.ts'

const SHOWN = 8

export function Question({
  text,
  touches = [],
  touchesTotal = touches.length,
  action,
  typed,
  destructive = true,
  onAnswer,
}: ConfirmOptions & { readonly onAnswer: (answer: boolean) => void }) {
  const [word, setWord] = useState('')
  const rest = touchesTotal - Math.min(touches.length, SHOWN)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(true)
      }}
    >
      <Stack>
        <Text component="div">{text}</Text>
        {touches.length === 0 ? null : (
          <div>
            <Text fw={600} size="sm">
              {parts.confirm.touches}
            </Text>
            <List size="sm">
              {touches.slice(0, SHOWN).map((name) => (
                <List.Item key={name}>{name}</List.Item>
              ))}
            </List>
            {rest > 0 ? (
              <Text size="sm" c="dimmed">
                {say(parts.confirm.more, { n: rest })}
              </Text>
            ) : null}
          </div>
        )}
        {typed === undefined ? null : (
          <TextInput
            label={say(parts.confirm.type, { word: typed })}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
            {parts.confirm.cancel}
          </Button>
          <Button
            type="submit"
            {...(destructive ? { color: 'red.9' } : {})}
            disabled={typed !== undefined && word !== typed}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
