"""Deployments that somebody has to approve, step by step.

What happens before and between the questions has effects: a plan is registered, a canary goes live. DEPLOY_LOG
(deploy.log) is the stand-in for the cluster: a line for each thing that was done to it.
"""

import json
import os
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Step, Steps, form, numbered
from pydantic import BaseModel, Field

mcp = MCPServer("deploy")

LOG = Path(os.environ.get("DEPLOY_LOG", "deploy.log"))
REGIONS = {"staging": ["eu-test"], "production": ["eu-west", "us-east", "ap-south"]}
BROKEN = {"2.0.0-rc1"}


class Approval(BaseModel):
    approve: bool = Field(description="Approve this plan?")
    ticket: str = Field(default="", description="The change ticket")


class Next(BaseModel):
    action: Literal["continue", "rollback"] = "continue"


class DeployFailed(Exception):
    pass


def cluster(verb: str, **what: str) -> None:
    """Do something to the cluster."""
    with LOG.open("a") as log:
        log.write(json.dumps({"verb": verb, **what}) + "\n")


def register_plan(service: str, version: str, regions: list[str]) -> str:
    """Tell the change calendar, which answers with the plan's name."""
    plan = f"{service}-{version}-{len(regions)}r"
    cluster("plan", name=plan)
    return plan


def roll_out(service: str, version: str, region: str) -> None:
    if version in BROKEN:
        raise DeployFailed(f"{service} {version} does not become healthy in {region}")
    cluster("roll out", service=service, version=version, region=region)


def roll_back(service: str, regions: list[str]) -> None:
    for region in reversed(regions):
        cluster("roll back", service=service, region=region)


class DeployApproval(Step):
    step: Literal["approval"] = "approval"
    regions: list[str]
    plan: str


class DeployStep(Step):
    step: Literal["step"] = "step"
    regions: list[str]
    done: list[str]
    at: int


@mcp.tool()
async def deploy(service: str, version: str, environment: str, ctx: Context) -> str | InputRequiredResult:
    """Deploy a version of a service, region by region."""
    steps = Steps(ctx)
    state = steps.resume(DeployApproval, DeployStep)
    if state is None:
        if environment not in REGIONS:
            return f"There is no environment {environment}: {', '.join(REGIONS)}."
        regions = REGIONS[environment]
        plan = register_plan(service, version, regions)
    else:
        regions = state.regions

    if not isinstance(state, DeployStep):
        if environment == "production":
            if isinstance(state, DeployApproval):
                plan = state.plan
            approval = steps.form("approval", Approval)
            if approval is None:
                return steps.ask(
                    DeployApproval(regions=regions, plan=plan),
                    approval=form(
                        f"Plan {plan}: {service} {version} to {', '.join(regions)}. Approve?",
                        Approval,
                    ),
                )
            if approval.action != "accept" or not approval.data.approve:
                cluster("plan withdrawn", name=plan)
                return f"Plan {plan} was not approved."
            cluster("approved", name=plan, ticket=approval.data.ticket or "none")

        done: list[str] = []
        at = 0
    else:
        done = state.done
        at = state.at
    for at, region in numbered(regions, at):
        if not isinstance(state, DeployStep):
            try:
                roll_out(service, version, region)
            except DeployFailed as error:
                roll_back(service, done)
                return f"Failed: {error}. Rolled back."
            done.append(region)
        if isinstance(state, DeployStep) or len(done) < len(regions):
            step = steps.form("step", Next)
            if step is None:
                return steps.ask(
                    DeployStep(regions=regions, done=done, at=at),
                    step=form(f"{service} {version} is live in {region}. Go on?", Next),
                )
            state = None
            if step.action == "cancel":
                return f"Left as it is: {', '.join(done)} on {version}."
            if step.action == "decline" or step.data.action == "rollback":
                roll_back(service, done)
                return f"Rolled back from {', '.join(done)}."
    return f"{service} {version} is live in {', '.join(done)}."


@mcp.tool()
async def restart(service: str, ctx: Context) -> str | InputRequiredResult:
    """Restart a service everywhere."""
    steps = Steps(ctx)
    answer = steps.form("answer", Approval)
    if answer is None:
        return steps.ask(answer=form(f"Restart {service} in all regions?", Approval))
    if answer.action != "accept" or not answer.data.approve:
        return f"{service} goes on running."
    for region in REGIONS["production"]:
        cluster("restart", service=service, region=region)
    return f"Restarted {service}."


if __name__ == "__main__":
    mcp.run()
