// The setup guide: connect two services, choose what to sync, review the plan, run it.
import { Paper, Stack, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Page } from '../../parts/page/page.tsx'
import { StepBar } from '../../parts/page/step-bar.tsx'
import { start } from '../../texts/en/start.ts'
import { ChooseStep } from './choose.tsx'
import { ConnectStep } from './connect.tsx'
import { PlanStep } from './plan.tsx'
import { RunStep } from './run.tsx'
import { STEPS, usePlace } from './steps.ts'

const VIEWS = { connect: ConnectStep, choose: ChooseStep, plan: PlanStep, run: RunStep } as const

export default function Start() {
  const [place, goTo] = usePlace()
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef(place.step)
  useEffect(() => {
    if (last.current === place.step) return
    last.current = place.step
    heading.current?.focus()
  }, [place.step])
  const View = VIEWS[place.step]
  return (
    <Page title={start.title} text={start.intro}>
      <StepBar
        label={start.steps.label}
        steps={STEPS.map((step) => start.steps[step])}
        current={STEPS.indexOf(place.step)}
      />
      <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-labelledby="step-title">
        <Stack>
          <Title order={2} size="h3" id="step-title" ref={heading} tabIndex={-1}>
            {start[place.step].title}
          </Title>
          <View place={place} goTo={goTo} />
        </Stack>
      </Paper>
    </Page>
  )
}
