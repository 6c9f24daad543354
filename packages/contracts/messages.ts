/** Wire names of a run's messages; each control is an update and, for bare tools, a signal of the same name. */
export const MESSAGES = {
  progress: 'progress',
  pause: 'pause',
  resume: 'resume',
  abort: 'abort',
  stop: 'stop',
} as const;

export interface ControlRequest {
  readonly reason?: string;
}

export interface ControlAnswer {
  readonly accepted: boolean;
  readonly state: 'running' | 'paused' | 'aborting' | 'terminated';
}
