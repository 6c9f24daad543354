import type { AnyCommand } from '../cli/usage.ts';

/** Every command by name, sorted; loaded only when it is the one that runs. */
export const commands: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  abort: () => import('./abort.ts').then((module) => module.abortCommand),
  bench: () => import('./bench.ts').then((module) => module.benchCommand),
  doctor: () => import('./doctor.ts').then((module) => module.doctorCommand),
  down: () => import('./down.ts').then((module) => module.downCommand),
  eval: () => import('./eval.ts').then((module) => module.evalCommand),
  failures: () => import('./failures.ts').then((module) => module.failuresCommand),
  flow: () => import('./flow.ts').then((module) => module.flowCommand),
  gateway: () => import('./gateway.ts').then((module) => module.gatewayCommand),
  list: () => import('./list.ts').then((module) => module.listCommand),
  new: () => import('./new.ts').then((module) => module.newCommand),
  pause: () => import('./pause.ts').then((module) => module.pauseCommand),
  pipelines: () => import('./pipelines.ts').then((module) => module.pipelinesCommand),
  probe: () => import('./probe.ts').then((module) => module.probeCommand),
  redrive: () => import('./redrive.ts').then((module) => module.redriveCommand),
  resume: () => import('./resume.ts').then((module) => module.resumeCommand),
  run: () => import('./run.ts').then((module) => module.runCommand),
  schedule: () => import('./schedule.ts').then((module) => module.scheduleCommand),
  signal: () => import('./signal.ts').then((module) => module.signalCommand),
  status: () => import('./status.ts').then((module) => module.statusCommand),
  up: () => import('./up.ts').then((module) => module.upCommand),
  worker: () => import('./worker.ts').then((module) => module.workerCommand),
};
