// One step of a guide. Its heading takes the focus when another step took its place.
import { Paper, Stack, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { start } from '../../texts/en/start.ts'
import type { Step } from './steps.ts'

export function StepPanel({ step, children }: { readonly step: Step; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef(step)
  useEffect(() => {
    if (last.current === step) return
    last.current = step
    heading.current?.focus()
  }, [step])
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-labelledby="step-title">
      <Stack>
        <Title order={2} size="h3" id="step-title" ref={heading} tabIndex={-1}>
          {start[step].title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
