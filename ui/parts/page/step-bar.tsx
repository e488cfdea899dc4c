// The steps of a task, and which one is current.
import { Box, Group, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { start } from '../../texts/en/start.ts'
import { say } from '../../texts/say.ts'

const { steps: texts } = start

interface StepBarProps {
  readonly label: string
  readonly steps: readonly string[]
  /** The place of the current step, from 0. */
  readonly current: number
}

export function StepBar({ label, steps, current }: StepBarProps) {
  return (
    <Group component="ol" aria-label={label} gap="xs" wrap="nowrap" className="plain-list">
      {steps.map((title, index) => {
        const state = index < current ? 'done' : index === current ? 'current' : 'next'
        return (
          <Box
            key={title}
            component="li"
            style={{ flex: state === 'current' ? '1 1 auto' : '1 1 2.5rem', minWidth: 0 }}
            aria-current={state === 'current' ? 'step' : undefined}
            aria-label={say(texts.name, { n: index + 1, title, state: texts.state[state] })}
          >
            <Box
              h={4}
              mb="xs"
              bdrs="xl"
              bg={index <= current ? 'var(--mantine-primary-color-filled)' : 'var(--row-line)'}
            />
            <Group gap="xs" wrap="nowrap" aria-hidden>
              <ThemeIcon size={26} radius="xl" variant={state === 'next' ? 'default' : 'filled'}>
                {state === 'done' ? (
                  <IconCheck size={15} />
                ) : (
                  <Text span size="sm" fw={600} c="inherit">
                    {index + 1}
                  </Text>
                )}
              </ThemeIcon>
              <Text
                size="sm"
                fw={state === 'current' ? 600 : 400}
                c={state === 'current' ? undefined : 'dimmed'}
                truncate
                {...(state === 'current' ? {} : { visibleFrom: 'sm' })}
              >
                {title}
              </Text>
            </Group>
          </Box>
        )
      })}
    </Group>
  )
}
