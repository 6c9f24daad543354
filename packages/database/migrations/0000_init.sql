CREATE TABLE "agent_operations" (
	"operation_id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"scope_key" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace_id" text,
	"agent_id" text NOT NULL,
	"marker" jsonb,
	"prompt" text NOT NULL,
	"context" text,
	"max_steps" integer NOT NULL,
	"detail" text NOT NULL,
	"failure_code" text NOT NULL,
	"thread_id" text,
	"candidate" text,
	"review" text,
	"state" text DEFAULT 'reserved' NOT NULL,
	"reason" text,
	"steps" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_skills" (
	"document_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "agent_skills_document_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"name" text NOT NULL,
	"content" text NOT NULL,
	"is_managed" boolean DEFAULT true NOT NULL,
	"history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_skills_name" UNIQUE("owner_id","agent_id","name")
);
--> statement-breakpoint
CREATE TABLE "agent_steps" (
	"operation_id" text NOT NULL,
	"step" integer NOT NULL,
	"decision" jsonb NOT NULL,
	"decided_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_steps_operation_id_step_pk" PRIMARY KEY("operation_id","step")
);
--> statement-breakpoint
CREATE TABLE "agent_tool_calls" (
	"operation_id" text NOT NULL,
	"call_id" text NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "agent_tool_calls_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"step" integer NOT NULL,
	"api_name" text NOT NULL,
	"kind" text NOT NULL,
	"arguments" jsonb NOT NULL,
	"result" jsonb NOT NULL,
	"called_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_tool_calls_operation_id_call_id_pk" PRIMARY KEY("operation_id","call_id")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"workspace_id" text,
	"is_private" boolean DEFAULT false NOT NULL,
	"is_inbox" boolean DEFAULT false NOT NULL,
	"is_virtual" boolean DEFAULT false NOT NULL,
	"self_iteration" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"workspace_id" text,
	"agent_id" text,
	"topic_id" text,
	"thread_id" text,
	"parent_id" text,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"metadata" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_threads" (
	"id" text PRIMARY KEY NOT NULL,
	"anchor_message_id" text NOT NULL,
	"topic_id" text,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "eval_benchmarks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "eval_benchmarks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"last_seq" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "eval_benchmarks_name_unique" UNIQUE("name"),
	CONSTRAINT "eval_benchmarks_name_not_blank" CHECK (btrim("eval_benchmarks"."name") <> '')
);
--> statement-breakpoint
CREATE TABLE "eval_cases" (
	"benchmark_id" bigint NOT NULL,
	"seq" integer NOT NULL,
	"case_id" text NOT NULL,
	"input" jsonb NOT NULL,
	"assertions" jsonb NOT NULL,
	"metadata" jsonb NOT NULL,
	CONSTRAINT "eval_cases_benchmark_id_seq_pk" PRIMARY KEY("benchmark_id","seq"),
	CONSTRAINT "eval_cases_id" UNIQUE("benchmark_id","case_id"),
	CONSTRAINT "eval_cases_id_not_blank" CHECK (btrim("eval_cases"."case_id") <> '')
);
--> statement-breakpoint
CREATE TABLE "eval_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"benchmark_id" bigint NOT NULL,
	"bound" integer NOT NULL,
	"target" jsonb NOT NULL,
	"config" jsonb NOT NULL,
	"status" text DEFAULT 'idle' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "eval_runs_id_not_blank" CHECK (btrim("eval_runs"."id") <> ''),
	CONSTRAINT "eval_runs_user_not_blank" CHECK (btrim("eval_runs"."user_id") <> '')
);
--> statement-breakpoint
CREATE TABLE "eval_trajectories" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "eval_trajectories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"item_row" bigint NOT NULL,
	"round" integer NOT NULL,
	"k_index" integer NOT NULL,
	"output" text,
	"latency_ms" double precision,
	"cost_usd" double precision,
	"tokens" double precision,
	"steps" double precision,
	"calls" double precision,
	"tool_calls" double precision,
	"score" double precision,
	"passed" boolean,
	"grading" jsonb,
	"error_type" text,
	"error" text,
	"saved_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "eval_trajectories_place" UNIQUE("item_row","round","k_index")
);
--> statement-breakpoint
CREATE TABLE "flow_settings" (
	"key" text NOT NULL,
	"source" text NOT NULL,
	"parallelism" integer,
	"rate_per_second" integer,
	"is_unlimited" boolean DEFAULT false NOT NULL,
	"is_paused" boolean DEFAULT false NOT NULL,
	"build_id" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flow_settings_key_source_pk" PRIMARY KEY("key","source")
);
--> statement-breakpoint
CREATE TABLE "pipeline_epochs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pipeline_epochs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pipeline" text NOT NULL,
	"scope" text NOT NULL,
	"epoch" integer NOT NULL,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pipeline_epochs_identity" UNIQUE("pipeline","scope","epoch"),
	CONSTRAINT "pipeline_epochs_scope_not_blank" CHECK (btrim("pipeline_epochs"."scope") <> '')
);
--> statement-breakpoint
CREATE TABLE "pipeline_items" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "pipeline_items_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"epoch_id" bigint NOT NULL,
	"item_id" text NOT NULL,
	"state" text NOT NULL,
	"run_id" bigint NOT NULL,
	"token" integer DEFAULT 1 NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"failed_runs" integer DEFAULT 0 NOT NULL,
	"free_waits" integer DEFAULT 0 NOT NULL,
	"workflow_id" text NOT NULL,
	"activity_id" text NOT NULL,
	"worker" text NOT NULL,
	"claimed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"error_type" text,
	"error" text,
	"result" jsonb,
	"result_hash" text,
	CONSTRAINT "pipeline_items_epoch_id_item_id_pk" PRIMARY KEY("epoch_id","item_id"),
	CONSTRAINT "pipeline_items_id_unique" UNIQUE("id"),
	CONSTRAINT "pipeline_items_item_not_blank" CHECK (btrim("pipeline_items"."item_id") <> '')
);
--> statement-breakpoint
CREATE TABLE "pipeline_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pipeline_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"epoch_id" bigint NOT NULL,
	"pipeline" text NOT NULL,
	"scope" text NOT NULL,
	"run_no" integer NOT NULL,
	"workflow_id" text NOT NULL,
	"first_run_id" text NOT NULL,
	"request_id" text NOT NULL,
	"input" jsonb NOT NULL,
	"upper_bound" text,
	"total_eligible" integer NOT NULL,
	"to_process" integer NOT NULL,
	"already_processed" integer NOT NULL,
	"deferred" integer NOT NULL,
	"not_eligible" integer NOT NULL,
	"max_failures" integer,
	"failed" integer DEFAULT 0 NOT NULL,
	"succeeded" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"interrupted" integer DEFAULT 0 NOT NULL,
	"pages" integer DEFAULT 0 NOT NULL,
	"chunks" integer DEFAULT 0 NOT NULL,
	"direct" integer DEFAULT 0 NOT NULL,
	"abort_requested_at" timestamp with time zone,
	"abort_reason" text,
	"outcome" text,
	"message" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "pipeline_runs_number" UNIQUE("pipeline","scope","run_no"),
	CONSTRAINT "pipeline_runs_scope_not_blank" CHECK (btrim("pipeline_runs"."scope") <> '')
);
--> statement-breakpoint
CREATE TABLE "probe_executions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "probe_executions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"probe_set" text NOT NULL,
	"item_id" text NOT NULL,
	"run_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"succeeded" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "probe_items" (
	"probe_set" text NOT NULL,
	"seq" integer NOT NULL,
	"item_id" text NOT NULL,
	"sleep_ms" integer DEFAULT 0 NOT NULL,
	"fail_times" integer DEFAULT 0 NOT NULL,
	"counter" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "probe_items_probe_set_item_id_pk" PRIMARY KEY("probe_set","item_id")
);
--> statement-breakpoint
CREATE TABLE "review_proposals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_proposals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"subject" text NOT NULL,
	"summary" text NOT NULL,
	"evidence" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "review_proposals_subject" UNIQUE("owner_id","subject","state")
);
--> statement-breakpoint
CREATE TABLE "signal_actions" (
	"owner_id" text NOT NULL,
	"key" text NOT NULL,
	"state" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"event_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"operation_id" text,
	"detail" text,
	"reserved_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "signal_actions_owner_id_key_pk" PRIMARY KEY("owner_id","key")
);
--> statement-breakpoint
CREATE TABLE "signal_candidates" (
	"owner_id" text NOT NULL,
	"message_id" text NOT NULL,
	"state" text NOT NULL,
	"candidate" jsonb NOT NULL,
	"parked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_candidates_owner_id_message_id_pk" PRIMARY KEY("owner_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "signal_counts" (
	"owner_id" text NOT NULL,
	"counter" text NOT NULL,
	"subject" text NOT NULL,
	"source_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "signal_counts_owner_id_subject_counter_source_id_pk" PRIMARY KEY("owner_id","subject","counter","source_id")
);
--> statement-breakpoint
CREATE TABLE "signal_diagnostics" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signal_diagnostics_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"scope_key" text NOT NULL,
	"source_id" text NOT NULL,
	"stage" text NOT NULL,
	"reason" text NOT NULL,
	"error" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signal_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signal_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope_id" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"source_type" text NOT NULL,
	"source_id" text NOT NULL,
	"state" text NOT NULL,
	"payload" jsonb,
	"context" jsonb NOT NULL,
	"cause" jsonb,
	"token" integer DEFAULT 0 NOT NULL,
	"run_id" text,
	"deaths" integer DEFAULT 0 NOT NULL,
	"reopens" integer DEFAULT 0 NOT NULL,
	"pauses" integer DEFAULT 0 NOT NULL,
	"timer_id" bigint,
	"outcome" text,
	"reason" text,
	"awaited_until" timestamp with time zone,
	"accepted_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "signal_events_identity" UNIQUE("scope_id","source_type","source_id")
);
--> statement-breakpoint
CREATE TABLE "signal_guards" (
	"scope_id" bigint NOT NULL,
	"key" text NOT NULL,
	"state" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "signal_guards_scope_id_key_pk" PRIMARY KEY("scope_id","key")
);
--> statement-breakpoint
CREATE TABLE "signal_nodes" (
	"event_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "signal_nodes_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"type" text NOT NULL,
	"depth" integer NOT NULL,
	"parent_id" text,
	"node" jsonb NOT NULL,
	CONSTRAINT "signal_nodes_event_id_node_id_pk" PRIMARY KEY("event_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "signal_probes" (
	"owner_id" text NOT NULL,
	"key" text NOT NULL,
	"event_id" bigint NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_probes_owner_id_key_pk" PRIMARY KEY("owner_id","key")
);
--> statement-breakpoint
CREATE TABLE "signal_procedures" (
	"owner_id" text NOT NULL,
	"scope_key" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"domain" text NOT NULL,
	"score" double precision,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "signal_procedures_owner_id_scope_key_kind_domain_key_pk" PRIMARY KEY("owner_id","scope_key","kind","domain","key")
);
--> statement-breakpoint
CREATE TABLE "signal_receipts" (
	"owner_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"topic_id" text NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "signal_receipts_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"receipt" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_receipts_owner_id_id_pk" PRIMARY KEY("owner_id","id")
);
--> statement-breakpoint
CREATE TABLE "signal_reflections" (
	"owner_id" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_reflections_owner_id_subject_reason_pk" PRIMARY KEY("owner_id","subject","reason")
);
--> statement-breakpoint
CREATE TABLE "signal_rejections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signal_rejections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"scope_key" text NOT NULL,
	"run_id" text NOT NULL,
	"place" integer NOT NULL,
	"reason" text NOT NULL,
	"path" text NOT NULL,
	"excerpt" text NOT NULL,
	"rejected_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signal_results" (
	"event_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"handler_id" text NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "signal_results_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"answer" jsonb NOT NULL,
	"result" jsonb,
	"attempt" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"completed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_results_event_id_node_id_handler_id_pk" PRIMARY KEY("event_id","node_id","handler_id")
);
--> statement-breakpoint
CREATE TABLE "signal_reviews" (
	"owner_id" text NOT NULL,
	"source_id" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"operation_id" text,
	"attempts" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_reviews_owner_id_source_id_pk" PRIMARY KEY("owner_id","source_id")
);
--> statement-breakpoint
CREATE TABLE "signal_scopes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signal_scopes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"scope_key" text NOT NULL,
	"seq" bigint NOT NULL,
	"wake_at" timestamp with time zone,
	"tokens" double precision NOT NULL,
	"tokens_at" timestamp with time zone DEFAULT now() NOT NULL,
	"run_id" text,
	"build_id" text,
	"claimed_at" timestamp with time zone,
	"lease_token" text,
	"lease_until" timestamp with time zone,
	"restarted_at" timestamp with time zone,
	CONSTRAINT "signal_scopes_identity" UNIQUE("owner_id","scope_key"),
	CONSTRAINT "signal_scopes_not_blank" CHECK (btrim("signal_scopes"."owner_id") <> '' and btrim("signal_scopes"."scope_key") <> '')
);
--> statement-breakpoint
CREATE TABLE "signal_timers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signal_timers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope_id" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"node_id" text NOT NULL,
	"handler_id" text,
	"is_delayed" boolean DEFAULT true NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	CONSTRAINT "signal_timers_identity" UNIQUE("event_id","kind","key")
);
--> statement-breakpoint
CREATE TABLE "signal_turns" (
	"owner_id" text NOT NULL,
	"message_id" text NOT NULL,
	"turn" jsonb NOT NULL,
	"completed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signal_turns_owner_id_message_id_pk" PRIMARY KEY("owner_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "user_flags" (
	"user_id" text NOT NULL,
	"flag" text NOT NULL,
	"is_on" boolean NOT NULL,
	CONSTRAINT "user_flags_user_id_flag_pk" PRIMARY KEY("user_id","flag")
);
--> statement-breakpoint
CREATE TABLE "user_memories" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_memories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" text NOT NULL,
	"user_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"layer" text DEFAULT 'preference' NOT NULL,
	"title" text NOT NULL,
	"content" text NOT NULL,
	"operation_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_profiles" (
	"user_id" text PRIMARY KEY NOT NULL,
	"timezone" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "worker_leases" (
	"identity" text PRIMARY KEY NOT NULL,
	"task_queues" text[] NOT NULL,
	"renewed_at" timestamp with time zone NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"judges_at" timestamp with time zone NOT NULL,
	"reaped_by" text,
	"reaped_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_steps" ADD CONSTRAINT "agent_steps_operation" FOREIGN KEY ("operation_id") REFERENCES "public"."agent_operations"("operation_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_tool_calls" ADD CONSTRAINT "agent_tool_calls_operation" FOREIGN KEY ("operation_id") REFERENCES "public"."agent_operations"("operation_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_cases" ADD CONSTRAINT "eval_cases_benchmark_id_eval_benchmarks_id_fk" FOREIGN KEY ("benchmark_id") REFERENCES "public"."eval_benchmarks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_benchmark_id_eval_benchmarks_id_fk" FOREIGN KEY ("benchmark_id") REFERENCES "public"."eval_benchmarks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_trajectories" ADD CONSTRAINT "eval_trajectories_item" FOREIGN KEY ("item_row") REFERENCES "public"."pipeline_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_items" ADD CONSTRAINT "pipeline_items_epoch_id_pipeline_epochs_id_fk" FOREIGN KEY ("epoch_id") REFERENCES "public"."pipeline_epochs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_epoch_id_pipeline_epochs_id_fk" FOREIGN KEY ("epoch_id") REFERENCES "public"."pipeline_epochs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_events" ADD CONSTRAINT "signal_events_scope" FOREIGN KEY ("scope_id") REFERENCES "public"."signal_scopes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_nodes" ADD CONSTRAINT "signal_nodes_event" FOREIGN KEY ("event_id") REFERENCES "public"."signal_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_results" ADD CONSTRAINT "signal_results_event" FOREIGN KEY ("event_id") REFERENCES "public"."signal_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_timers" ADD CONSTRAINT "signal_timers_event" FOREIGN KEY ("event_id") REFERENCES "public"."signal_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_operations_scope" ON "agent_operations" USING btree ("owner_id","scope_key","created_at");--> statement-breakpoint
CREATE INDEX "agent_operations_state" ON "agent_operations" USING btree ("state");--> statement-breakpoint
CREATE INDEX "agents_user" ON "agents" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "chat_messages_topic" ON "chat_messages" USING btree ("topic_id","created_at");--> statement-breakpoint
CREATE INDEX "chat_messages_user" ON "chat_messages" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "chat_messages_parent" ON "chat_messages" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "eval_runs_benchmark" ON "eval_runs" USING btree ("benchmark_id");--> statement-breakpoint
CREATE INDEX "pipeline_items_run" ON "pipeline_items" USING btree ("run_id","state");--> statement-breakpoint
CREATE INDEX "pipeline_items_failed" ON "pipeline_items" USING btree ("epoch_id","item_id") WHERE state = 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_runs_one_active" ON "pipeline_runs" USING btree ("pipeline","scope") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "pipeline_runs_workflow" ON "pipeline_runs" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "probe_executions_set" ON "probe_executions" USING btree ("probe_set","item_id");--> statement-breakpoint
CREATE INDEX "probe_items_order" ON "probe_items" USING btree ("probe_set","seq","item_id");--> statement-breakpoint
CREATE INDEX "signal_actions_operation" ON "signal_actions" USING btree ("operation_id");--> statement-breakpoint
CREATE INDEX "signal_counts_at" ON "signal_counts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "signal_events_queue" ON "signal_events" USING btree ("scope_id","seq") WHERE state in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "signal_events_accepted" ON "signal_events" USING btree ("scope_id","accepted_at");--> statement-breakpoint
CREATE INDEX "signal_guards_expiry" ON "signal_guards" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "signal_procedures_expiry" ON "signal_procedures" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "signal_receipts_list" ON "signal_receipts" USING btree ("owner_id","agent_id","topic_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "signal_rejections_place" ON "signal_rejections" USING btree ("owner_id","scope_key","run_id","place");--> statement-breakpoint
CREATE INDEX "signal_rejections_age" ON "signal_rejections" USING btree ("rejected_at");--> statement-breakpoint
CREATE INDEX "signal_reviews_operation" ON "signal_reviews" USING btree ("operation_id") WHERE operation_id is not null;--> statement-breakpoint
CREATE INDEX "signal_timers_due" ON "signal_timers" USING btree ("scope_id","due_at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "user_memories_agent" ON "user_memories" USING btree ("owner_id","agent_id","created_at");--> statement-breakpoint
CREATE VIEW "public"."eval_results" AS (
  select i.id, (select e.scope from pipeline_epochs e where e.id = i.epoch_id) as run_id, i.item_id as case_id,
    case i.state when 'open' then 'pending' when 'claimed' then 'running'
      when 'failed' then case when i.error_type = 'ItemTimeout' then 'timeout' else 'error' end
      else coalesce(i.result->>'status', 'completed') end as state,
    (i.result->>'score')::float8 as score, (i.result->>'latencyMs')::float8 as latency_ms, (i.result->>'costUsd')::float8 as cost_usd,
    (i.result->>'tokens')::float8 as tokens, i.result->>'output' as output, i.error, i.finished_at
  from pipeline_items i where i.epoch_id in (select e.id from pipeline_epochs e where e.pipeline = 'agentEvalRun'));