import { defineControlCommand } from '../cli/control-command.ts';

/** `strata pause`: start nothing more until resume; what is in flight ends. */
export const pauseCommand = defineControlCommand('pause', 'start nothing more until resume; what is in flight ends');
