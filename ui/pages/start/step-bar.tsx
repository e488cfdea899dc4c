import { Box, Group, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { start } from '../../texts/en/start.ts'
import { say } from '../../texts/say.ts'
import { STEPS, type Step } from './steps.ts'

export function StepBar({ current }: { readonly current: Step }) {
  const here = STEPS.indexOf(current)
  return (
    <Group
      component="ol"
      aria-label={start.steps.label}
      gap="xs"
      wrap="nowrap"
      p={0}
      m={0}
      style={{ listStyle: 'none' }}
    >
      {STEPS.map((step, index) => {
        const state = index < here ? 'done' : index === here ? 'current' : 'next'
        return (
          <Box
            key={step}
            component="li"
            style={{ flex: state === 'current' ? '1 1 auto' : '1 1 2.5rem', minWidth: 0 }}
            aria-current={state === 'current' ? 'step' : undefined}
            aria-label={say(start.steps.name, {
              n: index + 1,
              title: start.steps[step],
              state: start.steps.state[state],
            })}
          >
            <Box
              h={4}
              mb={8}
              bdrs="xl"
              bg={index <= here ? 'var(--mantine-primary-color-filled)' : 'var(--row-line)'}
            />
            <Group gap={8} wrap="nowrap" aria-hidden>
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
                {start.steps[step]}
              </Text>
            </Group>
          </Box>
        )
      })}
    </Group>
  )
}
