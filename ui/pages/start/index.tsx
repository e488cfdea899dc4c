// The setup guide: connect two services, choose what to sync, review the plan, run it. Recipes lead to its last steps.
import type { PageProps } from '../../app/page-props.ts'
import { Page } from '../../parts/page/page.tsx'
import { StepBar } from '../../parts/page/step-bar.tsx'
import { start } from '../../texts/en/start.ts'
import { ChooseStep } from './choose.tsx'
import { ConnectStep } from './connect.tsx'
import { PlanStep } from './plan.tsx'
import { RecipesPage } from './recipes.tsx'
import { RunStep } from './run.tsx'
import { StepPanel } from './step-panel.tsx'
import { STEPS, usePlace } from './steps.ts'

const VIEWS = { connect: ConnectStep, choose: ChooseStep, plan: PlanStep, run: RunStep } as const

export default function Area({ path }: PageProps) {
  return path === '/recipes' ? <RecipesPage /> : <Start />
}

function Start() {
  const [place, goTo] = usePlace()
  const View = VIEWS[place.step]
  return (
    <Page title={start.title} text={start.intro}>
      <StepBar
        label={start.steps.label}
        steps={STEPS.map((step) => start.steps[step])}
        current={STEPS.indexOf(place.step)}
      />
      <StepPanel step={place.step}>
        <View place={place} goTo={goTo} />
      </StepPanel>
    </Page>
  )
}
