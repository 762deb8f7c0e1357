"""Compiled kernels: integers and arrays in and out.

A kernel never checks what it is given; the readable face (`ddzsim.combos`, `ddzsim.game`) does.
"""
